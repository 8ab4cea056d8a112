# Exercise 7: a position scheme of your own.
#
# What it is for: You have seen two ways to tell attention about positions: turn query and key, or add something to
# their score. Now invent one. It has one number w that training can change.
#
# own_score is the score of a query q at position i and a key k at position j, where j <= i. Without positions it is q0
# k0 + q1 k1. The simplest thing to do is to add a bias f(w, i - j); ALiBi's is -w (i - j). Choose another, such as one
# that falls quickly at first and slowly later. (Or turn: if you like, replace the whole body. With q turned by i w and
# k by j w, the score is  cos(a) (q0 k0 + q1 k1) + sin(a) (q1 k0 - q0 k1)  with a = (j - i) w. This file is checked
# alone, so it cannot call functions of the others.)
#
# own_backward gets dscore, the gradient of the score, and computes the gradients of w, q and k. Those of q and k are
# written already, and are right for every bias. If your scheme turns q and k, change them.
#
# Fill in: your bias; then the gradient of w: dscore times how much the bias grows when w grows. It is added to what
# other queries and keys give, because all share one w.
#
# The checker asks two things:
# - Are the gradients right? It compares them with the slopes of your own_score, for w between 0.2 and 1.5.
# - Does only the distance matter? It moves query and key by the same number of tokens; the score must not change.
#
# Hint: Start with a bias whose derivative you know, such as -w sqrt(i - j) or -log(1 + w (i - j)). Include the chain
# rule's inner factor.
import numpy as np


def own_score(q, k, i, j, w):
    return q[0] * k[0] + q[1] * k[1] + FILL_IN


def own_backward(dscore, q, k, i, j, w):
    dq, dk = np.zeros(2), np.zeros(2)
    dq[0] = dscore * k[0]
    dq[1] = dscore * k[1]
    dk[0] = dscore * q[0]
    dk[1] = dscore * q[1]
    dw = FILL_IN
    return dw, dq, dk
