// The command line of tilus-run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include "llvm/Option/OptParser.td"

class Switch<string name, string help> : Flag<["--"], name>, HelpText<help>;

// `--name value` and `--name=value`.
multiclass Setting<string name, string id, string metavar, string help> {
  def id : Separate<["--"], name>, HelpText<help>, MetaVarName<metavar>;
  def id#_eq : Joined<["--"], name#"=">, Alias<!cast<Separate>(id)>;
}

defm "" : Setting<"kernel", "kernel", "NAME", "the kernel; needed if the file has several and arguments are given">;
defm "" : Setting<"target", "target", "CHIPS", "chips to compile for, such as sm_90a,sm_103a">;
def targets : Separate<["--"], "targets">, Alias<target>, HelpText<"the same as --target">, MetaVarName<"CHIPS">;
def targets_eq : Joined<["--"], "targets=">, Alias<target>;
defm "" : Setting<"device", "device", "DEVICE",
                  "where to run: auto (default), cpu, cuda, cuda:N, or none to compile only">;
defm "" : Setting<"arg", "arg", "V",
                  "an argument, in order: 4096, 1.5, @a.npy, zeros:512x512xf16, rand:512x512xf16:seed=7">;
defm "" : Setting<"out", "out", "K=FILE.npy", "write argument K (number from 0, or name) after the run">;
defm "" : Setting<"emit", "emit", "KIND=DIR", "write <kernel>.<chip>.<kind> files: llvm, ptx or cubin; or stages, a folder with each step of the compilation">;
defm "" : Setting<"repeat", "repeat", "N", "run N times after a warm-up and report the median time">;
defm "" : Setting<"assembler", "assembler", "NAME", "auto (default), nvjitlink or ptxas">;
defm "" : Setting<"opt-level", "opt_level", "N", "optimization level of LLVM and the assembler, 0 to 3 (default 3)">;
defm "" : Setting<"reproducer-dir", "reproducer_dir", "DIR", "write what repeats a failed pass to this folder">;

def check_hazards : Switch<"check-hazards", "on the CPU: report races, unordered copies and the like">;
def no_specialize : Switch<"no-specialize", "compiling for a GPU: rely on no divisibility of the given arguments">;
def fast_math : Switch<"fast-math", "approximate division, square root and functions; subnormals are zero">;
def line_info : Switch<"line-info", "emit line tables">;
def json : Switch<"json", "print the report as JSON">;
def stats : Switch<"stats", "report what the dispatcher did for each target">;
def help : Switch<"help", "print this text">;
def version : Switch<"version", "print the versions">;
