# Exercise 5: the buckets of T5.
#
# What it is for: The model T5 learns one number for each distance between two tokens and adds it to the score. But
# there are many distances, and whether a token stands 100 or 101 tokens back makes little difference. So T5 sorts
# distances into a few buckets, and learns one number for each bucket. Each near distance has a bucket of its own. Far
# distances share buckets, and the farther they are, the more of them share one.
#
# Formula: Let exact = buckets / 2.
# - A distance below `exact` has a bucket of its own, with the same number: 0, 1, 2, ... exact - 1.
# - Other distances are sorted by their logarithm. With
#
#       part = log(distance / exact) / log(last / exact),
#
#   part is 0 at distance = exact and 1 at distance = last. The remaining buckets - exact buckets divide this range
#   into pieces of equal length; round down to a whole bucket.
# - From distance = last on, everything is in the last bucket, which has the number buckets - 1.
#
# With 32 buckets and last = 128, as in T5: distances 0 to 15 are in buckets 0 to 15; 16, 17 and 18 in bucket 16; 19
# and 20 in 17; 21 to 23 in 18; 113 and all beyond in 31.
#
# Fill in: four blanks, one for each step.
#
# Hint: In C, 17 / 16 is 1, because both are whole numbers; (double)17 / 16 is 1.0625. In Python, 17 / 16 is 1.0625,
# and 17 // 16 is 1. (int)1.9 in C and int(1.9) in Python are 1: they round down.
import numpy as np


def bucket(distance, buckets, last):
    exact = buckets // 2
    if distance < exact:
        return FILL_IN
    part = FILL_IN
    number = FILL_IN  # the bucket from `part`, which may still be too large
    return FILL_IN  # the same, but never past the last bucket
