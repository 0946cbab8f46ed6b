package io.sluice.tools.site;

import java.nio.file.Path;

/**
 * One property as a file has it.
 *
 * @param name its name
 * @param value its value, trimmed; variables in it are resolved as far as they can be
 * @param file where it was read
 * @param isFinal whether files that are read later cannot change it
 */
record Property(String name, String value, Path file, boolean isFinal) {
  /** File and name, for people. */
  String where() {
    return file + ", " + name;
  }
}
