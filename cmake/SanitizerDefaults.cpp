// The options of sanitizers in the project's programs; part of each when TILUS_SANITIZE is set.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

extern "C" {
/// LLVM's headers, compiled here, poison the rest of an arena; its dylibs, which are not instrumented, do not
/// unpoison what they take from it. What is too large to allocate is refused, not the end of the program.
const char *__asan_default_options() { return "allow_user_poisoning=0:allocator_may_return_null=1"; }

/// nvJitLink keeps some KB of an assembly. What a device that a candidate of a tuning made unusable may still
/// use is never freed.
const char *__lsan_default_suppressions() {
  return "leak:libnvJitLink\nleak:tilus::tune\nleak:TunerTest::SetUp\n";
}

const char *__ubsan_default_options() { return "print_stacktrace=1:halt_on_error=1"; }
}
