# Exercise 1: turn a point.
#
# What it is for: A language model reads a text as tokens (words or parts of words), and holds a list of numbers for
# each. It must also know where in the text each token stands. The usual way to tell the model is called RoPE. RoPE
# takes the numbers in pairs. A pair is a point in a plane, and RoPE turns this point around the origin, like the hand
# of a clock: token 0 is not turned at all, token 1 by some angle, token 2 by twice the angle, and so on.
#
# Formula: Look at a point on the first axis, (1, 0). Turned by an angle, it arrives at (cos angle, sin angle). The
# point (0, 1) is a quarter turn ahead, and goes to (-sin angle, cos angle). Any point (x0, x1) is x0 times (1, 0) plus
# x1 times (0, 1), and this stays true when all three points are turned.
#
# Fill in: y, the point x turned by `angle` (in radians, counterclockwise). c and s are the cosine and sine.
#
# Hint: y[0] = x0 times what (1, 0) gets as its first number, plus x1 times what (0, 1) gets as its first number.
import numpy as np


def turn(x, angle):
    c, s = np.cos(angle), np.sin(angle)
    x0, x1 = x
    y = np.zeros(2)
    y[0] = FILL_IN
    y[1] = FILL_IN
    return y
