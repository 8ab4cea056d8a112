# SPDX-License-Identifier: MIT
# Functions for drawing SVG, for awk -f scripts/svg.awk and a program after it. Forward is green, backward is red. No
# custom properties or shorthands, because the pictures are also read by renderers other than browsers.
function begin(width, height, title,    i, style) {
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" height=\"%g\">\n", width, height, width, height
    print "<title>" title "</title>"
    print "<style>text{font-size:14px;font-family:sans-serif;text-anchor:middle;fill:#222}.name{font-weight:bold}"
    print ".forward,.backward{font-size:13px;font-family:monospace}.paper{fill:#fff}"
    print ".forward,.flowhead{fill:#1b6e3c}.backward,.backhead{fill:#b3261e}.designed{fill:#444}.learned{fill:#1f5fbf}"
    print ".place{fill:#f3f1ea;stroke:#777}.flow,.back{stroke:#1b6e3c;stroke-width:2;fill:none}.back{stroke:#b3261e}"
    print ".thin{stroke:#777;fill:none}.cell{fill:#1f5fbf;stroke:#777}.sum{fill:#b3261e;fill-opacity:0.25;stroke:#b3261e}"
    print "@media screen and (prefers-color-scheme:dark){text{fill:#ececec}.paper{fill:#16181b}.designed{fill:#c4c4c4}"
    print ".forward,.flowhead{fill:#5fcf8f}.backward,.backhead{fill:#ff8d85}.learned{fill:#6cb2ff}.place{fill:#26292d}"
    print ".cell{fill:#6cb2ff}.sum{fill:#ff8d85;stroke:#ff8d85}.flow{stroke:#5fcf8f}.back{stroke:#ff8d85}}</style>"
    print "<defs>"
    for (i = 1; i <= 2; i++) {
        style = i == 1 ? "flow" : "back"
        printf "<marker id=\"%s\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">", style
        printf "<path d=\"M0 0L8 4L0 8z\" class=\"%shead\"/></marker>\n", style
    }
    print "</defs>"
    printf "<rect width=\"%g\" height=\"%g\" class=\"paper\"/>\n", width, height
}
# A coordinate: a tenth of a pixel is enough, and the same on all machines.
function at(x) { x = sprintf("%.1f", x); sub(/\.0$/, "", x); return x == "-0" ? "0" : x }
function text(x, y, style, string) { printf "<text x=\"%s\" y=\"%s\" class=\"%s\">%s</text>\n", at(x), at(y), style, string }
function box(x, y, w, h, style) {
    printf "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" rx=\"5\" class=\"%s\"/>\n", at(x), at(y), at(w), at(h), style
}
function path(d, style, more) { printf "<path d=\"%s\" class=\"%s\"%s/>\n", d, style, more }
function line(x1, y1, x2, y2, style) { path("M" at(x1) " " at(y1) "L" at(x2) " " at(y2), style) }
function arrow(x1, y1, x2, y2, style) {
    path("M" at(x1) " " at(y1) "L" at(x2) " " at(y2), style, " marker-end=\"url(#" style ")\"")
}
function dot(x, y, style) { printf "<circle cx=\"%s\" cy=\"%s\" r=\"4\" class=\"%s\"/>\n", at(x), at(y), style }
function circle(x, y, r, style) { printf "<circle cx=\"%s\" cy=\"%s\" r=\"%s\" class=\"%s\"/>\n", at(x), at(y), at(r), style }
