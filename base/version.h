// The program's version: what `bitter --version` prints, and what config.json, compare.json and reports record.
#ifndef BITTER_VERSION_H
#define BITTER_VERSION_H

#define BITTER_VERSION "0.2.0"

#endif
