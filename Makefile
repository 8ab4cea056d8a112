# bitter: `make deps demo` shows it at work, `make deps test` checks it, `make help` lists the rest.
# Variables to set: CC, CFLAGS (optimisation and extra flags), LDFLAGS, PKG_CONFIG, ARCH, SANITIZE=1, BUILD, V=1, and
# BLAS=openblas|blis|mkl|accelerate|none, the library of matrix products; keep each in a BUILD of its own (`make
# bench-blas`). KERNELS=blas leaves all products to it. VECTOR=16|32|64: bytes of a vector of the program's own kernels.
# PREFIX and DESTDIR: where `make install` puts the program (/usr/local), and a prefix of these paths. PORTABLE=1 builds
# and installs a program for all processors, with a library in LIBDIR (PREFIX/lib). LAUNCH: a command that starts
# another machine's programs (qemu-aarch64). WASM_CC: a clang with a C library for WebAssembly, only for `make lesson`.
# SYSTEM=Darwin builds for macOS elsewhere, with BREW, the directory of its libraries (scripts/macos.sh).

CFLAGS  ?= -O3 -g
# Compilers prefer vectors of 256 bits where 512 are possible, but here 512 are faster by 3 to 7% (model/SPEED.md).
ARCH    ?= $(if $(filter arm64 aarch64,$(shell uname -m)),-mcpu=native,-march=native -mprefer-vector-width=512)
BLAS    ?= openblas
WASM_CC ?= clang
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX:/=)/lib
SYSTEM  ?= $(shell uname -s)
BUILD   ?= build$(if $(SANITIZE),/sanitize)
$(if $(word 2,$(BUILD)),$(error BUILD is a path without spaces, not $(BUILD)))
PROGRAM := $(if $(filter build,$(BUILD)),,$(BUILD)/)bitter
# The program's absolute path, for the shell, which inserts the directory's name itself: that may hold any character.
RUNS     = $(if $(filter /%,$(PROGRAM)),,./)$(PROGRAM)
HERE     = $(if $(filter /%,$(PROGRAM)),,"$$PWD"/)$(PROGRAM)

WARNINGS := -Wall -Wextra -Wno-unused-parameter -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror=implicit
WARNINGS += $(if $(CI),-Werror)
# clang warns when it cannot vectorise a loop as asked; such a loop is slower, but correct.
WARNINGS += $(if $(findstring clang,$(shell $(CC) --version 2>/dev/null)),-Wno-pass-failed)
# -std=c11 switches fused multiply-add off, so it is switched on here. NaN must stay NaN, so of -ffast-math only the
# parts about errno and traps are used.
MATH     := -ffp-contract=fast -fno-math-errno -fno-trapping-math
COMMA    := ,
# Uninitialised local variables are filled with an improbable pattern, if the compiler can do that.
FILLED    := $(if $(SANITIZE),$(if $(shell $(CC) -ftrivial-auto-var-init=pattern -E -x c /dev/null >/dev/null 2>&1 && echo yes),-ftrivial-auto-var-init=pattern))
SANITIZERS := $(if $(SANITIZE),-fsanitize=address$(COMMA)undefined$(COMMA)float-cast-overflow -fno-sanitize-recover=undefined$(COMMA)float-cast-overflow -fno-omit-frame-pointer $(FILLED))

# --- libraries: where pkg-config finds them, and otherwise in the directories that the compiler searches anyway ---
PKG_CONFIG ?= pkg-config
ifeq ($(SYSTEM),Darwin)
BREW     ?= $(shell brew --prefix 2>/dev/null)
OPENMP   := -Xpreprocessor -fopenmp
# As system headers, for which the compiler gives no warnings.
INCLUDES := -isystem $(BREW)/include -isystem $(BREW)/opt/libomp/include
LIBDIRS  := -L$(BREW)/lib -L$(BREW)/opt/libomp/lib
OPENMP_LIB := -lomp
PKG_PATH := $(BREW)/opt/openblas/lib/pkgconfig
else
# Debian keeps the OpenMP build of OpenBLAS in a separate directory, and libraries of other machines beside ours.
MACHINE  := $(subst -pc-linux,-linux,$(shell $(CC) -dumpmachine 2>/dev/null))
OPENMP   := -fopenmp
INCLUDES :=
LIBDIRS  :=
OPENMP_LIB :=
PKG_PATH := /usr/lib/$(MACHINE)/openblas-openmp/pkgconfig:/usr/lib/$(MACHINE)/pkgconfig
endif
# library NAME DEFAULT: the linker's flags for a library. headers NAME: the compiler's.
ask      = $(shell PKG_CONFIG_PATH="$$PKG_CONFIG_PATH:$(PKG_PATH)" $(PKG_CONFIG) $(1) 2>/dev/null)
library  = $(or $(call ask,--libs $(1)),$(2))
headers  = $(call ask,--cflags $(1))
INCLUDES += $(call headers,jansson libpcre2-8 zlib)

# --- BLAS: any library with CBLAS that starts no threads of its own inside a parallel region of OpenMP ---
BLAS_missing = $(error BLAS=$(BLAS) needs $(1))
ifeq ($(BLAS)$(wildcard /usr/lib64/libopenblaso.so),openblas)
INCLUDES += $(call headers,openblas)
BLAS_LIB := $(call library,openblas,-lopenblas)
else ifeq ($(BLAS),openblas)
# Fedora calls the OpenMP build openblaso and has no pkg-config file for it.
INCLUDES += -I/usr/include/openblas
BLAS_LIB := -lopenblaso
else ifeq ($(BLAS),blis)
# Debian has no pkg-config file for BLIS either.
BLAS_LIB := $(or $(call library,blis),$(if $(wildcard /usr/lib/$(MACHINE)/blis-openmp/libblis.so),-L/usr/lib/$(MACHINE)/blis-openmp -lblis),$(call BLAS_missing,BLIS with its headers: Debian calls it libblis-openmp-dev))
INCLUDES += $(patsubst -I%,-isystem %,$(or $(call headers,blis),-I/usr/include/$(MACHINE)/blis-openmp))
else ifeq ($(BLAS)$(MKLROOT),mkl)
# MKL's sequential variant: each of our threads calls it separately.
BLAS_LIB := $(or $(call library,mkl-dynamic-lp64-seq),$(call BLAS_missing,Intel's MKL with its headers: set MKLROOT to the directory that holds its include and lib (after `pip install mkl-devel` in a virtual environment, that of the environment)))
INCLUDES += -DBLAS_MKL $(call headers,mkl-dynamic-lp64-seq)
LIBDIRS  += -Wl,--no-as-needed
else ifeq ($(BLAS),mkl)
# The package on PyPI has no files that end in .so.
MKL_DIR  := $(or $(wildcard $(MKLROOT)/lib/intel64),$(MKLROOT)/lib)
mkl_part  = $(or $(firstword $(wildcard $(MKL_DIR)/libmkl_$(1).so $(MKL_DIR)/libmkl_$(1).so.*)),$(call BLAS_missing,libmkl_$(1).so in $(MKL_DIR)))
BLAS_LIB := -L$(MKL_DIR) $(foreach part,intel_lp64 sequential core,$(call mkl_part,$(part))) -lpthread -ldl
INCLUDES += -DBLAS_MKL -I$(MKLROOT)/include
LIBDIRS  += -Wl,--no-as-needed
else ifeq ($(BLAS),accelerate)
INCLUDES += -DBLAS_ACCELERATE -DACCELERATE_NEW_LAPACK
BLAS_LIB := $(if $(filter Darwin,$(SYSTEM)),-framework Accelerate,$(call BLAS_missing,macOS))
else ifeq ($(BLAS),none)
INCLUDES += -DBLAS_NONE
BLAS_LIB :=
else
$(error BLAS is openblas, blis, mkl, accelerate or none, not '$(BLAS)')
endif
# Where the program looks for the BLAS when it starts, if not in the usual places.
RUNPATH  ?= $(patsubst -L%,%,$(filter -L%,$(BLAS_LIB)))

ifeq ($(KERNELS)-$(BLAS),blas-none)
$(error KERNELS=blas needs a library, but BLAS=none)
else ifeq ($(KERNELS),blas)
INCLUDES += -DKERNELS_BLAS
else ifneq ($(KERNELS),)
$(error KERNELS is blas or nothing, not '$(KERNELS)')
endif
ifneq ($(VECTOR),)
INCLUDES += -DVECTOR=$(or $(filter 16 32 64,$(VECTOR)),$(error VECTOR is 16, 32 or 64 bytes, not '$(VECTOR)'))
endif

# Whatever CFLAGS are, no file names the build's directories: a program built elsewhere has the same bytes.
ANYWHERE := -ffile-prefix-map="$$PWD"=. $(if $(filter /%,$(BUILD)),-ffile-prefix-map=$(BUILD)=build)
COMPILE := $(CC) -std=c11 -D_XOPEN_SOURCE=700 $(if $(filter Darwin,$(SYSTEM)),-D_DARWIN_C_SOURCE) \
           $(CFLAGS) $(ARCH) $(ANYWHERE) $(MATH) $(OPENMP) $(WARNINGS) $(SANITIZERS) -I. $(INCLUDES) -MMD -MP
LIBS    := $(LIBDIRS) $(addprefix -Wl$(COMMA)-rpath$(COMMA),$(RUNPATH)) $(OPENMP_LIB) $(BLAS_LIB) \
           $(call library,jansson libpcre2-8 zlib,-ljansson -lpcre2-8 -lz) -lm
CMOCKA  := $(call library,cmocka,-lcmocka)

# V=1 shows whole commands.
Q       := $(if $(V),,@)
QUIET   := $(if $(V),,-s)
SAY      = $(if $(V),,@printf '  %-8s %s\n' $(1) '$(2)')

FOLDERS := base num data posenc model train exchange lab cmd
LIBRARY := $(sort $(shell find $(FOLDERS) -name '*.c'))
TALES   := $(BUILD)/tales_text.c
EXERCISES := $(BUILD)/exercises_text.c
PAGE    := $(BUILD)/page_text.c
LINES   := $(BUILD)/lines_text.c
# Tools that kill programs and make their system calls fail; only built on Linux.
LINUX   := $(filter Linux,$(SYSTEM))
TORTURE := $(addprefix $(BUILD)/torture/,$(if $(LINUX),allocations.so) $(if $(LINUX),$(if $(filter x86_64,$(shell uname -m)),faults)))
# Tests in the order of the folders, so that the first failure is the one to look at. tests/README.md says what double_*
# are. `make test ONLY=posenc/stretch` runs the tests whose path begins so.
tests_of = $(filter-out $(if $(SANITIZE),$(UNSANITIZED)),$(foreach folder,$(FOLDERS) lesson fuzz,$(sort $(shell find tests/$(folder) -name '$(1)'))))
# Tests that would tell the slow sanitizers nothing: those of scripts, pages and texts, and those in double precision
# whose computations double_gradcheck, tests in float or the commands also do.
UNSANITIZED := $(wildcard tests/lesson/*.sh) tests/lab/report/browser.sh tests/data/made/tales_text.sh tests/fuzz/readers.sh \
            $(patsubst %,tests/cmd/cli_%.sh,bench docs install lesson_exercises questions) tests/lab/lesson/double_mistakes.c tests/lesson/test_plain.c \
            $(patsubst %,tests/model/double_%.c,mix model window) $(patsubst %,tests/posenc/double_%.c,gated gates)
only     = $(foreach test,$(1),$(if $(findstring /tests/$(ONLY),/$(test)),$(test)))
SCRIPTS := $(call only,$(if $(SANITIZE),,$(wildcard tests/*.sh)) $(call tests_of,*.sh))
FUZZ_OBJECTS := $(patsubst %.c,$(BUILD)/float/%.o,tests/fuzz/fuzz.c $(wildcard tests/fuzz/targets/*.c))
FUZZ_BUILD := $(BUILD)/fuzz/program
TEST_PROGRAMS := $(call only,$(patsubst %.c,$(BUILD)/float/%,$(call tests_of,test_*.c)) \
                             $(patsubst %.c,$(BUILD)/double/%,$(call tests_of,double_*.c)))

.PHONY: all install uninstall deb wheel dist deps demo test test-programs test-page sanitize check-all fuzz fuzz-coverage fuzz-seeds products arm macos-check hosts-test interop torture faults signals mutate bench bench-blas bench-peers tasks flipflop questions extend extend-far extend-2m extend-tuned experiment experiment-full ladder quoted coverage layers precision drope lesson pictures cluster-test memcheck test-memcheck threads lint format clang help clean
.DELETE_ON_ERROR:
.SECONDARY: $(foreach kind,float double,$(patsubst %.c,$(BUILD)/$(kind)/%.o,$(LIBRARY) $(TALES) $(EXERCISES) $(PAGE) $(LINES))) $(TEST_PROGRAMS:=.o)

ifeq ($(PORTABLE),)
all: $(PROGRAM) $(PROGRAM)-double ## build bitter, and bitter-double for gradient checks
endif

# What is installed, below PREFIX.
MANUAL   := $(BUILD)/$(if $(PORTABLE),portable/oldest/)bitter.1
ROOT     := $(DESTDIR)$(PREFIX)
# LIBDIR relative to PREFIX: programs look for the library relative to their own directory.
LIBRARIES = $(patsubst $(PREFIX:/=)/%,%,$(LIBDIR))
DOCUMENTS = $(wildcard README.md CHANGELOG.md CITATION.cff CONTRIBUTING.md LICENSE SECURITY.md docs/*.md docs/*.svg posenc/README.md model/SPEED.md lesson/lesson.html LICENSES/LicenseRef-wasi-libc.txt) $(PLOTS)
PLOTS     = $(sort $(shell grep -oh 'runs/baseline/[^()]*\.svg' README.md docs/*.md))
SHARED    = man/man1/bitter.1.gz man/man1/bitter-double.1.gz $(addprefix doc/bitter/,$(DOCUMENTS))
# The directories that uninstalling may leave empty, inner ones first; a system's own directories stay.
EMPTIED   = $(filter-out $(if $(filter /usr /usr/local,$(PREFIX)),/bin /$(LIBRARIES) /lib /share /share/man /),/share/doc /share/man/man1 /share/man /share /$(LIBRARIES) /lib /bin /)

# After `deps`, make has to look for the libraries again.
ifneq ($(PORTABLE),)
ifneq ($(filter-out all deps install uninstall,$(MAKECMDGOALS)),)
$(error PORTABLE=1 is for `make` and `make install` alone; with other targets, give ARCH the oldest processor, such as -march=x86-64)
endif
ifneq ($(filter /% ../%,$(LIBRARIES)),)
$(error LIBDIR has to be a directory below PREFIX ($(PREFIX)), not $(LIBDIR): programs look for the library from their own directory)
endif
# The value of a variable that the user has set.
own = $(if $(filter file,$(origin $(1))),,$($(1)))
BUILT = $(BUILD)/portable/oldest/bitter
all: | $(filter deps,$(MAKECMDGOALS))
	@CC="$(CC)" CFLAGS="$(call own,CFLAGS)" LDFLAGS="$(call own,LDFLAGS)" sh scripts/portable.sh build $(BUILD)/portable \
	    "$(LIBRARIES)" "$(MAKE)" "$(RUNPATH)"
else
BUILT = $(PROGRAM)
endif

install: | $(filter deps,$(MAKECMDGOALS)) ## install the program, its man page and guides below PREFIX
	@$(MAKE) $(QUIET) --no-print-directory all $(if $(PORTABLE),,$(MANUAL))
	@install -d "$(ROOT)/bin" "$(ROOT)/share"
	@cd "$(ROOT)/share" && install -d $(sort $(dir $(SHARED)))
	install -m 755 $(BUILT)$(if $(PORTABLE),-shared) "$(ROOT)/bin/bitter"
	install -m 755 $(BUILT)-double "$(ROOT)/bin/bitter-double"
	gzip -9n <$(MANUAL) >"$(ROOT)/share/man/man1/bitter.1.gz"
	@chmod 644 "$(ROOT)/share/man/man1/bitter.1.gz"
	ln -sf bitter.1.gz "$(ROOT)/share/man/man1/bitter-double.1.gz"
	@for file in $(filter-out %.md,$(DOCUMENTS)); do install -m 644 $$file "$(ROOT)/share/doc/bitter/$$file" || exit 1; done
	@for file in $(filter %.md,$(DOCUMENTS)); do \
	    awk -v name=$$file -v documents="$(DOCUMENTS)" -f scripts/guide.awk $$file >"$(ROOT)/share/doc/bitter/$$file" || exit 1; \
	    chmod 644 "$(ROOT)/share/doc/bitter/$$file"; done
	$(if $(PORTABLE),@CC="$(CC)" sh scripts/portable.sh install $(BUILD)/portable "$(LIBRARIES)" "$(ROOT)")

uninstall: ## remove what `make install` has installed
	rm -rf "$(ROOT)/bin/bitter" "$(ROOT)/bin/bitter-double" "$(ROOT)/$(LIBRARIES)/bitter"
	@cd "$(ROOT)/share" 2>/dev/null && rm -f $(SHARED) && find doc/bitter -depth -type d -exec rmdir {} + 2>/dev/null || true
	@for place in $(EMPTIED); do rmdir "$(ROOT)$$place" 2>/dev/null || true; done

deb: ## build and test a Debian package for all processors of an architecture (that of CC)
	@CC="$(CC)" LAUNCH="$(LAUNCH)" sh scripts/deb.sh "$(MAKE)" $(BUILD)/deb

wheel: ## build and test a wheel, which pip installs, for all processors of this architecture (Debian)
	@CC="$(CC)" sh scripts/wheel.sh "$(MAKE)" $(BUILD)/wheel "$(RUNPATH)"

dist: ## write a tarball of the sources, which builds without git, and the Homebrew formula for it
	@sh scripts/dist.sh

deps: ## install the libraries and tools that are missing
	@WASM_CC="$(if $(filter lesson,$(MAKECMDGOALS)),$(WASM_CC))" sh scripts/deps.sh "$(CC)" "$(OPENMP) $(INCLUDES)"

# The paths of the libraries are determined when make starts, so the targets after `deps` start make again.
demo: | $(filter deps,$(MAKECMDGOALS)) ## train five position schemes on generated stories (2 minutes)
	@$(MAKE) $(QUIET) --no-print-directory all
	@sh scripts/demo.sh $(HERE)

test: | $(filter deps,$(MAKECMDGOALS)) ## run all tests; ends in "N passed, N failed"
	@$(MAKE) $(QUIET) --no-print-directory all test-programs $(if $(filter tests/lesson/%,$(SCRIPTS)),test-page)
	@BITTER=$(HERE) BUILD=$(BUILD) sh tests/run $(TEST_PROGRAMS) $(SCRIPTS)

test-programs: $(TEST_PROGRAMS)

# Build the page of the lesson from the sources, if there is a compiler for it.
MAKE_PAGE = sh scripts/lesson.sh "$(WASM_CC)" "$(CC) -E $(INCLUDES)" $(BUILD) $(TALES)
test-page: $(TALES)
	@$(MAKE_PAGE) || [ $$? = 77 ]

sanitize: ## run the tests under the sanitizers, but for those that would say the same again
	@TIME_LIMIT=$${TIME_LIMIT:-900} $(MAKE) --no-print-directory SANITIZE=1 CFLAGS="-O1 -g" test

# Each check runs even if another fails, so that all results are shown; the slowest comes last.
check-all: ## most checks that .ci/run leaves out, before a release and at the end of an issue (many hours)
	@failed=; for check in lint quoted products macos-check deb wheel interop fuzz signals threads torture faults memcheck; do \
	    echo "make $$check"; $(MAKE) --no-print-directory $$check || failed="$$failed $$check"; done; \
	    if [ "$$failed" ]; then echo "failed:$$failed"; exit 1; fi

fuzz: ## give damaged files and words to all that reads them, by libFuzzer (FUZZ_SECONDS=300, resumable)
	@sh scripts/fuzz.sh check
	@$(MAKE) $(QUIET) --no-print-directory BUILD=$(FUZZ_BUILD) BLAS=none CC=clang SANITIZE=1 CFLAGS="-O1 -g -fsanitize=fuzzer-no-link" \
	    $(FUZZ_BUILD)/float/fuzz
	@sh scripts/fuzz.sh all $(FUZZ_BUILD)/float/fuzz

fuzz-coverage: ## which share of the lines of each reader `make fuzz` has reached
	@$(MAKE) $(QUIET) --no-print-directory BUILD=$(BUILD)/fuzz/coverage BLAS=none CC=gcc CFLAGS="-O0 -g --coverage" \
	    $(BUILD)/fuzz/coverage/float/tests/fuzz/test_replay
	@sh scripts/fuzz.sh coverage $(BUILD)/fuzz/coverage/float

fuzz-seeds: all ## make the inputs again that `make fuzz` starts from
	@sh scripts/fuzz_seeds.sh $(HERE)

products: ## test the model with every kind of matrix product: OpenBLAS alone, no BLAS, vectors of each width
	@$(MAKE) --no-print-directory KERNELS=blas BUILD=build/blas test ONLY=model
	@BITTER="$$PWD"/build/blas/bitter BUILD=build/blas sh tests/run tests/cmd/cli_kernels.sh
	@$(MAKE) --no-print-directory BLAS=none VECTOR=16 BUILD=build/vector16 test ONLY=model
	@$(MAKE) --no-print-directory BLAS=none VECTOR=32 BUILD=build/vector32 test ONLY=model

arm: all ## build for 64-bit ARM; test the model and the positions in qemu's emulation (15 minutes)
	@sh scripts/arm.sh "$(MAKE)" $(HERE)

macos-check: ## compile and link every file for macOS on ARM and Intel (6 minutes, and PyPI for a cross compiler)
	@sh scripts/macos.sh "$(MAKE)" $(BUILD)/macos

hosts-test: all ## compare on two hosts, one of which is cut off (2 minutes; Linux, root, GlusterFS)
	@BITTER=$(HERE) BUILD=$(BUILD) TIME_LIMIT=1200 sh tests/run tests/hosts/two_hosts.sh

interop: all ## with transformers, llama.cpp, tokenizers, TensorBoard (10 minutes, and PyPI)
	@sh scripts/interop.sh $(HERE) $(BUILD)

torture: $(PROGRAM) ## kill commands at 1000 random instants; nothing may be lost (minutes, resumable)
	@BITTER=$(HERE) BUILD=$(BUILD) sh tests/torture/torture.sh

faults: $(PROGRAM) $(TORTURE) ## let every system call and allocation of short runs fail once
	@BITTER=$(HERE) BUILD=$(BUILD) TIME_LIMIT=7200 sh tests/run tests/torture/faults.sh

signals: $(PROGRAM) ## send two signals a moment apart, 200 times to each of train and compare (10 minutes)
	@BITTER=$(HERE) BUILD=$(BUILD) SIGNAL_ROUNDS=$${SIGNAL_ROUNDS:-200} TIME_LIMIT=3600 sh tests/run tests/cmd/cli_signals.sh

mutate: ## change one token of the code 300 times; does a test notice? (hours, resumable)
	@MAKE="$(MAKE)" BUILD=$(BUILD) sh tests/mutate/mutate.sh

bench: all ## measure training speed, beside PyTorch if python3 has torch
	@COMPILER="$$($(CC) --version | head -n 1)" sh scripts/bench.sh $(HERE)

bench-blas: all ## which library of matrix products is the fastest here (10 minutes)
	@MAKE="$(MAKE)" sh scripts/bench_blas.sh $(HERE)

bench-peers: all ## sampling, evaluation, preparation beside llama.cpp, transformers and tokenizers (5 minutes)
	@sh scripts/bench_peers.sh $(HERE)

tasks: all ## which schemes learn to copy and to add (3 hours, resumable)
	sh scripts/tasks.sh $(RUNS)

flipflop: all ## state tracking, where PaTH succeeds and RoPE fails (2 minutes)
	sh scripts/flipflop.sh $(RUNS)

questions: all ## eight questions about positions, answered by measurement (15 minutes, resumable; numpy and matplotlib)
	sh scripts/questions.sh $(RUNS)

extend: all ## stretch RoPE 8 and 64 times by every method (2 hours, resumable)
	sh scripts/extend.sh $(RUNS)

drope: all ## drop RoPE after training, beside stretching it (15 minutes, resumable)
	sh scripts/drope.sh $(RUNS)

extend-far: all ## then at 512 times the trained length (1 more hour)
	sh scripts/extend_far.sh $(RUNS)

extend-2m: all ## one held-out window of 2,097,152 tokens (1.5 hours, resumable)
	sh scripts/extend_2m.sh $(RUNS)

extend-tuned: all ## YaRN with tuned ends beside LongRoPE's search, in twelve models (1 hour, resumable)
	sh scripts/extend_tuned.sh $(RUNS)

experiment: all ## compare learned and designed positions (50 minutes, resumable)
	sh scripts/experiment.sh $(RUNS)

experiment-full: all ## the same in twelve parts that answer a reviewer's questions (8 hours, resumable)
	sh scripts/experiment_full.sh $(RUNS)

ladder: all ## how many times the tokens a learned scheme needs to reach RoPE's loss (days, resumable)
	sh scripts/ladder.sh $(RUNS)

precision: all ## what each scheme loses with its positions in bf16, fp8 or int8 (12 minutes, resumable)
	sh scripts/precision.sh $(RUNS)

quoted: ## recompute the recorded reports, and the numbers that the docs quote (python with numpy and scipy)
	python3 scripts/check_report.py $(patsubst %/report.md,%,$(wildcard runs/baseline/*/report.md runs/baseline/*/*/report.md))
	python3 scripts/check_quoted.py

coverage: ## how often the intervals of `compare` hold the truth (python with numpy and scipy, 5 minutes)
	python3 scripts/coverage.py

layers: all ## schemes by layer: SmolLM3, Gemma 3 and others (under 30 minutes, resumable)
	sh scripts/layers.sh $(RUNS)

lesson: | $(filter deps,$(MAKECMDGOALS)) ## renew lesson/lesson.html, the lesson on gradients (1 minute)
	@$(MAKE) $(QUIET) --no-print-directory $(TALES)
	@$(MAKE_PAGE)
	@cp $(BUILD)/lesson/lesson.html lesson/lesson.html

pictures: all ## draw the pictures of docs/schemes.md and posenc/README.md again
	@for picture in $$(sh scripts/pictures.sh $(RUNS)); do \
	    sh scripts/pictures.sh $(RUNS) $$picture >$(BUILD)/picture.svg && cp $(BUILD)/picture.svg docs/$$picture.svg || exit 1; done

cluster-test: all ## a comparison on a Slurm cluster that loses a node; by root, wants Debian's packages (5 minutes)
	@BITTER=$(HERE) BUILD=$(BUILD) TIME_LIMIT=1800 sh tests/run tests/cluster/slurm.sh

memcheck: ## all tests under valgrind's memcheck (hours)
	@$(MAKE) --no-print-directory BUILD=build/valgrind ARCH=-march=x86-64-v2 CFLAGS="-O1 -g" all test-memcheck

test-memcheck: test-programs
	@BITTER=$(HERE) BUILD=$(BUILD) sh tests/memcheck $(TEST_PROGRAMS) $(SCRIPTS)

threads: ## train, search and compare under the thread sanitizer (2 minutes; clang with libomp)
	@$(MAKE) $(QUIET) --no-print-directory BUILD=build/threads BLAS=none CC=clang CFLAGS="-O1 -g -fsanitize=thread" build/threads/bitter
	@BITTER="$$PWD"/build/threads/bitter BUILD=build/threads TIME_LIMIT=1800 sh tests/run tests/threads/threads.sh

lint: ## check with clang-format and clang-tidy
	clang-format --dry-run --Werror $(shell git ls-files '*.c' '*.h')
	@mkdir -p $(BUILD)
	clang-tidy --quiet train.c $(LIBRARY) $(wildcard lesson/*.c) -- -std=c11 -D_XOPEN_SOURCE=700 -fopenmp -I. $(INCLUDES) \
	    2>$(BUILD)/clang-tidy.log || { cat $(BUILD)/clang-tidy.log; exit 1; }

format: ## format the sources with clang-format
	clang-format -i $(shell git ls-files '*.c' '*.h')

clang: ## build with clang, with warnings as errors
	@$(MAKE) --no-print-directory CC=clang CI=1 BUILD=build/clang build/clang/bitter

help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1	/p' Makefile | expand -t 12

clean: ## remove what was built
	rm -rf build bitter bitter-double bitter_*.deb bitter-*.whl bitter-*.tar.gz bitter.rb

# --- rules: float for everything, double for gradient checks ---
# Objects depend on the compiler and its flags, and are built again when these change. Before the first object is built,
# one sentence says what is missing.
FLAGS := $(BUILD)/flags
# The matrix kernels are optimised even under the sanitizers: without it they would be 10 times slower.
kernels = $(if $(filter num/product.c,$(1)),-O3)
$(FLAGS): FORCE
	@mkdir -p $(BUILD)
	@echo '$(COMPILE) $(LDFLAGS) $(PROGRAM_LDFLAGS) $(LIBS)' | cmp -s - $@ || { sh scripts/deps.sh "$(CC)" "$(OPENMP) $(INCLUDES)" check && \
	    echo '$(COMPILE) $(LDFLAGS) $(PROGRAM_LDFLAGS) $(LIBS)' > $@; }
FORCE:

$(BUILD)/float/%.o: %.c $(FLAGS)
	@mkdir -p $(@D)
	$(call SAY,compile,$<)
	$(Q)$(COMPILE) $(call kernels,$<) -c $< -o $@

$(BUILD)/double/%.o: %.c $(FLAGS)
	@mkdir -p $(@D)
	$(call SAY,compile,$< in double)
	$(Q)$(COMPILE) $(call kernels,$<) -DREAL_DOUBLE -c $< -o $@

# The words and plots of builtin:tales, the files of `bitter lesson exercises`, the style and the script of reports, and
# the line numbers that `bitter lesson` names become C. This is done every time, because in a copied build directory a
# file's date does not show whether it is up to date; the old text is replaced only by a different one.
$(TALES): scripts/tales/sections.awk scripts/tales/statements.awk data/made/tales/tales.txt FORCE
$(EXERCISES): scripts/embed.awk $(sort $(wildcard $(addprefix lesson/exercises/,*.[ch] *.py Makefile README.md))) FORCE
$(EXERCISES): EMBED_TABLE := table=exercise_files header=lab/lesson/lines.h
$(PAGE): scripts/embed.awk lab/report/page/page.css lab/report/page/plot.css lab/report/page/report.js FORCE
$(PAGE): EMBED_TABLE := table=page_files header=lab/report/page/page.h
$(LINES): scripts/lines.awk posenc/rotation/rope.c lab/lesson/pair.c FORCE
$(TALES) $(EXERCISES) $(PAGE) $(LINES):
	@mkdir -p $(@D)
	$(Q)LC_ALL=C awk $(patsubst %.awk,-f %.awk,$(filter %.awk,$^)) $(EMBED_TABLE) $(filter-out FORCE %.awk,$^) >$@.new
	$(Q)if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

$(BUILD)/%/libbitter.a: $(foreach source,$(LIBRARY:.c=.o) $(TALES:.c=.o) $(EXERCISES:.c=.o) $(PAGE:.c=.o) $(LINES:.c=.o),$(BUILD)/%/$(source))
	@rm -f $@
	$(Q)$(AR) qcs $@ $^

# What `make install PORTABLE=1` installs (scripts/portable.sh); the objects need -fPIC.
$(BUILD)/float/libbitter.so: $(BUILD)/float/libbitter.a
	$(call SAY,link,$@)
	$(Q)$(COMPILE) $(LDFLAGS) -shared -Wl,-Bsymbolic,-z,defs,--whole-archive $< -Wl,--no-whole-archive $(LIBS) -o $@

$(BUILD)/bitter-shared: $(BUILD)/float/train.o $(BUILD)/float/libbitter.so
	$(call SAY,link,$@)
	$(Q)$(COMPILE) $(LDFLAGS) $(PROGRAM_LDFLAGS) $< -L$(BUILD)/float -lbitter -Wl,--as-needed $(LIBS) -o $@

$(MANUAL): scripts/man.sh $(PROGRAM) $(PROGRAM)-double
	$(call SAY,write,$@)
	$(Q)sh $< $(LAUNCH) $(HERE) >$@

$(PROGRAM): $(BUILD)/float/train.o $(BUILD)/float/libbitter.a
	$(call SAY,link,$@)
	$(Q)$(COMPILE) $(LDFLAGS) $(PROGRAM_LDFLAGS) $^ $(LIBS) -o $@

$(PROGRAM)-double: $(BUILD)/double/train.o $(BUILD)/double/libbitter.a
	$(call SAY,link,$@)
	$(Q)$(COMPILE) $(LDFLAGS) $(PROGRAM_LDFLAGS) $^ $(LIBS) -o $@

$(BUILD)/float/tests/%: $(BUILD)/float/tests/%.o $(BUILD)/float/libbitter.a
	$(call SAY,link,$@)
	$(Q)$(COMPILE) $(LDFLAGS) $^ $(LIBS) $(CMOCKA) -o $@

# The program that runs every target on its corpus, and the same targets with libFuzzer.
$(BUILD)/float/tests/fuzz/test_replay: $(BUILD)/float/tests/fuzz/test_replay.o $(FUZZ_OBJECTS) $(BUILD)/float/libbitter.a
	$(call SAY,link,$@)
	$(Q)$(COMPILE) $(LDFLAGS) $^ $(LIBS) $(CMOCKA) -o $@

# Two tests contain both the trainer in one file (lesson/plain.c) and the model.
$(BUILD)/float/tests/lesson/test_plain: $(BUILD)/float/tests/lesson/plain_twin.o
$(BUILD)/double/tests/lesson/double_plain: $(BUILD)/double/tests/lesson/plain_twin.o

$(BUILD)/float/fuzz: $(BUILD)/float/tests/fuzz/libfuzzer.o $(FUZZ_OBJECTS) $(BUILD)/float/libbitter.a
	$(call SAY,link,$@)
	$(Q)$(COMPILE) -fsanitize=fuzzer $(LDFLAGS) $^ $(LIBS) -o $@

$(BUILD)/double/tests/%: $(BUILD)/double/tests/%.o $(BUILD)/double/libbitter.a
	$(call SAY,link,$@)
	$(Q)$(COMPILE) $(LDFLAGS) $^ $(LIBS) $(CMOCKA) -o $@

$(BUILD)/torture/faults: tests/torture/faults.c $(FLAGS)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 -O1 $(WARNINGS) $< -o $@

$(BUILD)/torture/%.so: tests/torture/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 -O1 $(WARNINGS) -fPIC -shared $< -o $@

-include $(shell find $(BUILD)/float $(BUILD)/double -name '*.d' 2>/dev/null)
