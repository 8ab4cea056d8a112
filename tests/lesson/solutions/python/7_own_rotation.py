# A second solution of exercise 7, as 7_own_rotation.c: query and key are turned by i w and j w.
import numpy as np


def turned(x, angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * x[0] - s * x[1], s * x[0] + c * x[1]])


def own_score(q, k, i, j, w):
    return q @ turned(k, (j - i) * w)


def own_backward(dscore, q, k, i, j, w):
    turned_k = turned(k, (j - i) * w)
    dangle = dscore * (q[1] * turned_k[0] - q[0] * turned_k[1])
    return (j - i) * dangle, dscore * turned_k, dscore * turned(q, (i - j) * w)
