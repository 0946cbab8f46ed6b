package io.sluice.rdma.memory;

import io.sluice.rdma.memory.NativeCalls.Libc;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Errors of the kernel that a process must recognise, though Java's exceptions have only their
 * text. That text comes from {@code strerror}, in the language of the process's environment if the
 * C library has a translation.
 *
 * <p>Thread contract: safe from any thread. Failure: none; if native calls do not work, only the
 * English text is known.
 */
public enum Errno {
  /** The kernel or the process has no memory left. */
  ENOMEM(12, "Cannot allocate memory"),
  /** The host has no descriptor left. */
  ENFILE(23, "Too many open files in system"),
  /** The process has no descriptor left. */
  EMFILE(24, "Too many open files"),
  /** Mostly: no port is left. */
  EADDRNOTAVAIL(99, "Cannot assign requested address"),
  /** The kernel has no memory for a socket. */
  ENOBUFS(105, "No buffer space available");

  /** The variables from which the C library takes the language. */
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
   * The texts that an exception may quote: in English, and in the language of this process if that
   * differs. The latter loads a library, so a process calls this before it can run out of
   * descriptors.
   */
  public List<String> words() {
    return isEnglish(System.getenv()) || NativeCalls.unavailabilityCause().isPresent()
        ? List.of(english)
        : List.of(english, quoted());
  }

  /** The text of the C library. */
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
