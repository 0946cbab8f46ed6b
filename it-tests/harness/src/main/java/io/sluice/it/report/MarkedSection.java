package io.sluice.it.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A part of a page that is generated, between two comments that readers do not see.
 *
 * @param file the page
 * @param name in both comments
 */
public record MarkedSection(Path file, String name) {

  /** The text that the page has there. */
  public String read() {
    String page = page();
    return page.substring(start(page), end(page));
  }

  /** Puts this there instead. */
  public void write(String section) {
    String page = page();
    try {
      Files.writeString(file, page.substring(0, start(page)) + section + page.substring(end(page)));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + file, e);
    }
  }

  private String page() {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
  }

  private int start(String page) {
    String marker = "<!-- " + name + " -->\n";
    return find(page, marker) + marker.length();
  }

  private int end(String page) {
    return find(page, "<!-- end of " + name + " -->");
  }

  private int find(String page, String marker) {
    int at = page.indexOf(marker);
    if (at < 0) {
      throw new IllegalStateException(file + " has no line " + marker);
    }
    return at;
  }
}
