# SPDX-License-Identifier: MIT
# The pictures of docs/schemes.md and posenc/README.md (scripts/pictures.sh). picture: places (with the schemes of `bitter train
# --pos help`), pair (with the numbers of `bitter lesson`), diagonals, cope or reflection.

# --- places: where position schemes enter the model ---
/^--- / {
    group = /embedding/ ? 1 : /rotations/ ? 2 : /biases/ ? 3 : /content/ ? 4 : 0
    is_learned = /: learned/
}
/^[a-z][a-z0-9-]*    / && group {
    name[group, ++count[group]] = $1
    learned[group, count[group]] = is_learned
    if (count[group] > most) most = count[group]
}

# A column of the picture: the place, what is computed there forward and backward, and the schemes that do it.
function column(n, place, forward, backward,    x, i, y) {
    x = 150 + 200 * (n - 1)
    box(x - 92, 102, 184, 44, "place")
    text(x, 129, "name", place)
    text(x, 172, "forward", forward)
    text(x, 192, "backward", backward)
    for (i = 1; i <= count[n]; i++) {
        y = 206 + 17 * i
        text(x, y, learned[n, i] ? "learned" : "designed", name[n, i])
    }
}
function places(    height) {
    height = 256 + 17 * most
    begin(900, height, "Where position schemes enter the model, forward and backward")
    arrow(58, 46, 842, 46, "flow")
    arrow(842, 62, 58, 62, "back")
    text(28, 59, "end", "text")
    text(871, 59, "end", "loss")
    text(450, 24, "forward", "forward: a scheme changes embeddings, queries and keys, or scores")
    text(450, 84, "backward", "backward: gradients reach its parameters at the same place")
    column(1, "embedding", "x += code(t)", "dcode(t) += dx")
    column(2, "query and key", "q = R(t) q, k = R(t) k", "dq = R(-t) dq, ...")
    column(3, "score, from distance", "S += bias(i - j)", "dbias(i - j) += dS")
    column(4, "score, from tokens", "S += bias(q, x, S)", "dq, dx, dS += ...")
    text(280, height - 12, "designed", "designed: fixed by a formula")
    text(620, height - 12, "learned", "learned: parameters that training changes")
}

# --- pair: a point and its gradient, turned and turned back ---
/^  d?q'? .*length/ {
    vector = $1
    gsub(/.*\(|\).*|,/, "")
    vx[vector] = $1
    vy[vector] = $2
}
/q' +the same/ { angle = $(NF - 1) }

function hand(x, vector, style, label,    along) {
    arrow(x, 180, x + scale * vx[vector], 180 - scale * vy[vector], style)
    along = sqrt(vx[vector] ^ 2 + vy[vector] ^ 2)
    text(x + vx[vector] * (scale + 18 / along), 185 - vy[vector] * (scale + 18 / along), "name", label)
}
# From the direction of one vector to that of another, along a circle of radius r.
function arc(x, from, to, style, r,    a, b) {
    a = atan2(vy[from], vx[from])
    b = atan2(vy[to], vx[to])
    path("M" at(x + r * cos(a)) " " at(180 - r * sin(a)) "A" r " " r " 0 0 " (style == "flow" ? 0 : 1) " " at(x + r * cos(b)) \
        " " at(180 - r * sin(b)), style, " marker-end=\"url(#" style ")\"")
}
function plane(x, r) {
    line(x - 150, 180, x + 150, 180, "thin")
    line(x, 50, x, 310, "thin")
    circle(x, 180, r, "thin")
}
function pair() {
    begin(900, 350, "One pair of channels: forward turns a point, backward turns its gradient back")
    scale = 105
    plane(230, scale * sqrt(vx["q"] ^ 2 + vy["q"] ^ 2))
    hand(230, "q", "flow", "x")
    hand(230, "q'", "flow", "y")
    arc(230, "q", "q'", "flow", 45)
    text(230, 24, "forward", "forward: y = R(\317\206) x, here \317\206 = " angle)
    scale = 150
    plane(670, scale * sqrt(vx["dq"] ^ 2 + vy["dq"] ^ 2))
    hand(670, "dq'", "back", "dy")
    hand(670, "dq", "back", "dx")
    arc(670, "dq'", "dq", "back", 45)
    text(670, 24, "backward", "backward: dx = R(\342\210\222\317\206) dy")
    text(450, 340, "designed", "the same angle back; both times the length stays")
}

# --- diagonals: a bias by distance, and its gradient ---
function matrix(x, what,    i, j) {
    for (i = 0; i < 6; i++)
        for (j = 0; j <= i; j++) {
            if (what == "bias")
                printf "<rect x=\"%g\" y=\"%g\" width=\"32\" height=\"32\" class=\"cell\" fill-opacity=\"%g\"/>\n", x + 34 * j, 60 + 34 * i, 0.06 + 0.08 * (i - j)
            else
                printf "<rect x=\"%g\" y=\"%g\" width=\"32\" height=\"32\" class=\"%s\"/>\n", x + 34 * j, 60 + 34 * i, i - j == 2 ? "sum" : "place"
            text(x + 34 * j + 16, 60 + 34 * i + 21, "designed", what == "bias" ? i - j : i - j == 2 ? "dS" : "")
        }
    text(x - 42, 165, "designed", "query i")
    text(x + 60, 284, "designed", "key j")
}
function diagonals() {
    begin(900, 320, "A bias by distance: one number for each diagonal of the scores, whose gradient is the sum of the diagonal")
    matrix(110, "bias")
    matrix(520, "dS")
    text(210, 24, "forward", "forward: S_ij += bias(i \342\210\222 j)")
    text(630, 24, "backward", "backward: dbias(2) = the sum of dS on its diagonal")
    text(210, 44, "designed", "one number for each diagonal")
    text(630, 44, "designed", "dS itself goes on unchanged")
    arrow(652, 260, 676, 284, "back")
    box(680, 270, 90, 36, "place")
    text(725, 293, "backward", "dbias(2)")
}

# --- cope: a fractional count, and the entries on both sides of it ---
function cope(    gates, count, k, p, below, part, x, N, P) {
    begin(900, 330, "CoPE: a position that is counted, and a bias between two trained entries")
    count = split("0.9 0.3 0.7 0.1 0.7", gates, " ")
    for (k = 1; k <= count; k++) {
        x = 60 + 64 * (k - 1)
        box(x, 200 - 110 * gates[k], 40, 110 * gates[k], "cell")
        text(x + 20, 192 - 110 * gates[k], "designed", gates[k])
        text(x + 20, 220, "designed", k == 1 ? "key j" : k == count ? "query i" : "")
        p += gates[k]
    }
    line(50, 200, 366, 200, "thin")
    text(208, 24, "forward", "how much the query attends: sigmoid(S_ik)")
    text(208, 262, "name", "they add up to the position p = " p)
    N = split("0.2 0.9 0.5 1.2 0.8", P, " ") # entries 0 to 4
    below = int(p)
    part = p - below
    for (k = 0; k < N; k++) {
        x = 500 + 85 * k
        if (k > 0) line(x - 85, 200 - 100 * P[k], x, 200 - 100 * P[k + 1], "thin")
        line(x, 196, x, 204, "thin")
        text(x, 220, "designed", k)
        dot(x, 200 - 100 * P[k + 1], k == below || k == below + 1 ? "learned" : "designed")
        text(x, 184 - 100 * P[k + 1], "learned", "P[" k "]")
    }
    line(490, 200, 860, 200, "thin")
    x = 500 + 85 * p
    arrow(x, 200, x, 207 - 100 * (P[below + 1] * (1 - part) + P[below + 2] * part), "flow")
    text(x, 236, "forward", "p")
    text(670, 24, "forward", "bias = " 1 - part " P[" below "] + " part " P[" below + 1 "]")
    text(670, 262, "backward", "dP[" below "] += " 1 - part " dS,   dP[" below + 1 "] += " part " dS")
    text(670, 284, "backward", "dp = (P[" below + 1 "] \342\210\222 P[" below "]) dS, and so on to every bar")
    text(450, 318, "designed", "the gradient follows two paths: to the two entries, and along the slope between them to the position")
}

# --- reflection: H = I - beta w w^T ---
function reflection(    pi, wx, wy, x, y, along, b, px, py) {
    begin(900, 350, "PaTH: beta decides how much of the direction w is taken away, or turned over")
    pi = atan2(0, -1)
    wx = cos(pi / 4)
    wy = sin(pi / 4)
    x = 1.55
    y = 0.45
    along = x * wx + y * wy
    scale = 80
    line(230 - 150 * wx, 180 + 150 * wy, 230 + 150 * wx, 180 - 150 * wy, "thin")
    line(230 - 150 * wy, 180 - 150 * wx, 230 + 150 * wy, 180 + 150 * wx, "thin")
    arrow(230, 180, 230 + 60 * wx, 180 - 60 * wy, "flow")
    text(230 + 40 * wx - 14, 180 - 40 * wy - 6, "name", "w")
    text(128, 66, "designed", "mirror")
    for (b = 0; b <= 2; b++) {
        px = 230 + scale * (x - b * along * wx)
        py = 180 - scale * (y - b * along * wy)
        if (b < 2) line(px, py, px - scale * along * wx, py + scale * along * wy, "thin")
        arrow(230, 180, px, py, "flow")
        if (b == 0) text(px + 14, py + 5, "name", "q")
        if (b == 1) text(px + 56, py + 8, "name", "H q, \316\262 = 1")
        if (b == 2) text(px - 6, py + 22, "name", "H q, \316\262 = 2")
    }
    text(640, 60, "forward", "forward: H q = q \342\210\222 \316\262 w (w . q)")
    text(640, 100, "designed", "\316\262 = 0: nothing changes")
    text(640, 122, "designed", "\316\262 = 1: the part of q along w is erased")
    text(640, 144, "designed", "\316\262 = 2: it is turned over, as by a mirror")
    text(640, 200, "backward", "backward: dq = H dy, for y = H q")
    text(640, 222, "backward", "d\316\262 = \342\210\222(w . q)(w . dy)")
    text(640, 244, "backward", "dw = \342\210\222\316\262 ((w . q) dy + (w . dy) q)")
    text(640, 284, "designed", "H is symmetric: gradients go back through H itself.")
    text(640, 306, "designed", "With \316\262 = 1 it has no inverse: what it erased is lost.")
}

END {
    if (picture == "places") places()
    else if (picture == "pair") pair()
    else if (picture == "diagonals") diagonals()
    else if (picture == "cope") cope()
    else reflection()
    print "</svg>"
}
