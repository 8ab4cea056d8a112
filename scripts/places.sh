#!/bin/sh
# The picture of where position schemes enter the model: sh scripts/places.sh ./bitter >docs/places.svg
# The schemes are those of `bitter train --pos help`; learned ones are set in blue.
set -eu
bitter=${1:?"usage: sh scripts/places.sh BITTER >docs/places.svg"}
"$bitter" train --pos help | awk '
    function text(x, y, style, string) { printf "<text x=\"%g\" y=\"%g\" class=\"%s\">%s</text>\n", x, y, style, string }
    function box(x, y, w, h, style) {
        printf "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" rx=\"5\" class=\"%s\"/>\n", x, y, w, h, style
    }
    function arrow(x1, x2, y, style) {
        printf "<path d=\"M%g %gH%g\" class=\"%s\" marker-end=\"url(#%s)\"/>\n", x1, y, x2, style, style
    }
    # A column of the picture: the place, what is computed there forward and backward, and who does it.
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
    /^--- / {
        group = /embedding/ ? 1 : /rotations/ ? 2 : /biases/ ? 3 : /content/ ? 4 : 0
        is_learned = /: learned/
    }
    /^[a-z][a-z0-9-]*    / && group {
        name[group, ++count[group]] = $1
        learned[group, count[group]] = is_learned
        if (count[group] > most) most = count[group]
    }
    END {
        height = 256 + 17 * most
        printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 900 %g\" width=\"900\" height=\"%g\">\n", height, height
        print "<title>Where position schemes enter the model, forward and backward</title>"
        # Other renderers than browsers read this, too: no custom properties or shorthands.
        print "<style>text{font-size:14px;font-family:sans-serif;text-anchor:middle;fill:#222}.name{font-weight:bold}"
        print ".forward,.backward{font-size:13px;font-family:monospace}.paper{fill:#fff}"
        print ".forward,.flowhead{fill:#1b6e3c}.backward,.backhead{fill:#b3261e}.designed{fill:#444}.learned{fill:#1f5fbf}"
        print ".place{fill:#f3f1ea;stroke:#777}.flow,.back{stroke:#1b6e3c;stroke-width:2;fill:none}.back{stroke:#b3261e}"
        print "@media screen and (prefers-color-scheme:dark){text{fill:#ececec}.paper{fill:#16181b}.designed{fill:#c4c4c4}"
        print ".forward,.flowhead{fill:#5fcf8f}.backward,.backhead{fill:#ff8d85}.learned{fill:#6cb2ff}.place{fill:#26292d}"
        print ".flow{stroke:#5fcf8f}.back{stroke:#ff8d85}}</style>"
        print "<defs>"
        for (i = 1; i <= 2; i++)
            printf "<marker id=\"%s\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">" \
                "<path d=\"M0 0L8 4L0 8z\" class=\"%shead\"/></marker>\n", i == 1 ? "flow" : "back", i == 1 ? "flow" : "back"
        print "</defs>"
        printf "<rect width=\"900\" height=\"%g\" class=\"paper\"/>\n", height
        arrow(58, 842, 46, "flow")
        arrow(842, 58, 62, "back")
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
        print "</svg>"
    }'
