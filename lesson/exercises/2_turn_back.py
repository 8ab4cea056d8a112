# Exercise 2: turn the gradient back.
#
# What it is for: The loss says how wrong a model is. Training asks of every number in the model: if this number grew,
# how fast would the loss grow? That is the gradient of the number. A leading d marks it: dx[0] is the gradient of
# x[0]. Gradients travel backwards: when y was computed from x, dy is known first, and dx is computed from dy. Here y
# is the turned point of exercise 1:
#
#     y0 = x0 c - x1 s          c = cos angle
#     y1 = x0 s + x1 c          s = sin angle
#
# Formulas leave out the multiplication sign. In a program it is needed: x0 c is x0 * c.
#
# Formula: x0 appears in both lines. If x0 grows by 1, y0 grows by c, which adds c dy0 to the loss, and y1 grows by s,
# which adds s dy1. The two are summed: this is the chain rule.
#
#     dx0 = dy0 (how much y0 grows with x0) + dy1 (how much y1 grows with x0)
#     dx1 = dy0 (how much y0 grows with x1) + dy1 (how much y1 grows with x1)
#
# Fill in: dx, for given dy and angle.
#
# Hint: Read the four factors off the two lines of the forward turn, column by column instead of row by row. When your
# code works, compare it with exercise 1: by which angle does it turn?
import numpy as np


def turn_back(dy, angle):
    c, s = np.cos(angle), np.sin(angle)
    dy0, dy1 = dy
    dx = np.zeros(2)
    dx[0] = FILL_IN
    dx[1] = FILL_IN
    return dx
