package io.sluice.rdma.memory;

import io.sluice.rdma.memory.NativeCalls.Libc;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Errors of the kernel that a process must tell from others, and that Java tells by their words
 * alone. It quotes {@code strerror}, which speaks the language of the process's environment where
 * the C library has a translation.
 *
 * <p>Thread contract: safe from any thread. Failure: none; where native calls do not work, only the
 * English words are known.
 */
public enum Errno {
  /** No memory, of the kernel's or of the process. */
  ENOMEM(12, "Cannot allocate memory"),
  /** No descriptor left in the whole host. */
  ENFILE(23, "Too many open files in system"),
  /** No descriptor left in the process. */
  EMFILE(24, "Too many open files"),
  /** No port left, mostly. */
  EADDRNOTAVAIL(99, "Cannot assign requested address"),
  /** No memory for a socket. */
  ENOBUFS(105, "No buffer space available");

  /** What the C library takes a process's language from. */
  private static final List<String> VARIABLES =
      List.of("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG");

  private static final Pattern ENGLISH = Pattern.compile("(|C|POSIX|en)([^a-zA-Z].*)?");

  private final int number;
  private final String english;

  Errno(int number, String english) {
    this.number = number;
    this.english = english;
  }

  /**
   * What Java may quote: in English, and in the language of this process if that is another one.
   * The latter takes a library, so a process that may run out of descriptors asks before.
   */
  public List<String> words() {
    return isEnglish(System.getenv()) || NativeCalls.unavailabilityCause().isPresent()
        ? List.of(english)
        : List.of(english, quoted());
  }

  /** As the C library says it. */
  String quoted() {
    return Libc.strerror(number);
  }

  static boolean isEnglish(Map<String, String> environment) {
    return VARIABLES.stream()
        .map(environment::get)
        .filter(Objects::nonNull)
        .allMatch(language -> ENGLISH.matcher(language).matches());
  }
}
