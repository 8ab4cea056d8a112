# Exercise 4: the gradient of ALiBi's slope.
#
# What it is for: In attention, the token at position i looks at the tokens at positions j = 0, 1, ... i. The score
# S_ij says how much attention it pays to token j. The score is computed from two lists of numbers, the query of token
# i (what it looks for) and the key of token j (what it has to offer). ALiBi turns neither; it lowers the score of a
# token that is far away. With a slope m,
#
#     S_ij = (product of query and key) - m (i - j)          for j <= i
#
# ALiBi fixes m. The scheme alibi-learned trains it, as m = m0 exp(sigma), where sigma may be any number: an
# exponential is never negative, so the slope never points the wrong way.
#
# Formula, first part: How much does S_ij grow when m grows by 1? All scores share m, so m's gradient dm is a sum over
# all scores. Each score adds its growth times its gradient dS_ij.
#
# Formula, second part: The chain rule again. dsigma is dm times how much m grows with sigma, which is the derivative
# of m0 exp(sigma).
#
# Fill in: what one score adds to dm; then dsigma from dm and m.
#
# Hint: In the first blank, mind the sign. dS_ij is dS[i, j] in Python, and dS[i * T + j] in C, which holds the rows as
# one long row. For the second: exp is its own derivative, so you need neither m0 nor sigma.
import numpy as np


# dS: (T, T), the gradient of S_ij is dS[i, j].
def slope_gradient(dS):
    dm = 0
    for i in range(len(dS)):
        for j in range(i + 1):
            dm += FILL_IN
    return dm


def sigma_gradient(dm, m):
    return FILL_IN
