package io.sluice.memory.fs.tree;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.InvalidPathException;
import org.apache.hadoop.fs.PathIOException;

/**
 * The names from the root to a file or directory, with HDFS's rules. No name contains a colon or is
 * {@code .} or {@code ..}, so each path can be listed, and means the same in any other file system.
 *
 * <p>Thread contract: immutable. Failure: {@link InvalidPathException} for a name that is never
 * valid, {@link PathIOException} for one that is too long for a new file.
 */
public record TreePath(List<String> names) {
  private static final TreePath ROOT = new TreePath(List.of());

  // HDFS's limits; those of a name are dfs.namenode.fs-limits.max-component-length's default.
  private static final int MOST_NAME_BYTES = 255;
  private static final int MOST_CHARACTERS = 8_000;
  private static final int MOST_NAMES = 1_000;

  public TreePath {
    names = List.copyOf(names);
  }

  /** Parses an absolute path in Hadoop's form. */
  public static TreePath of(String absolute) {
    List<String> names = new ArrayList<>();
    for (String name : absolute.split("/")) {
      if (name.equals(".") || name.equals("..") || name.indexOf(':') >= 0) {
        throw new InvalidPathException(
            absolute, "a name must not be '.' or '..' or contain ':', as on HDFS");
      }
      if (!name.isEmpty()) {
        names.add(name);
      }
    }
    return names.isEmpty() ? ROOT : new TreePath(names);
  }

  /** Refuses a path that is too long for a new file or directory. */
  public void requireCreatable() throws PathIOException {
    String path = toString();
    if (path.length() > MOST_CHARACTERS || names.size() > MOST_NAMES) {
      throw new PathIOException(
          path.substring(0, Math.min(path.length(), MOST_NAME_BYTES)) + "...",
          "the path has "
              + path.length()
              + " characters and "
              + names.size()
              + " names; at most "
              + MOST_CHARACTERS
              + " and "
              + MOST_NAMES
              + " are allowed");
    }
    for (String name : names) {
      int lengthBytes = name.getBytes(StandardCharsets.UTF_8).length;
      if (lengthBytes > MOST_NAME_BYTES) {
        throw new PathIOException(
            path,
            "the name "
                + name
                + " has "
                + lengthBytes
                + " bytes in UTF-8; at most "
                + MOST_NAME_BYTES
                + " are allowed");
      }
    }
  }

  /** Whether this is the root. */
  public boolean isRoot() {
    return names.isEmpty();
  }

  /** The last name; not for the root. */
  public String name() {
    return names.get(names.size() - 1);
  }

  /** Without the last name; not for the root. */
  public TreePath parent() {
    return new TreePath(names.subList(0, names.size() - 1));
  }

  /** With one more name. */
  public TreePath child(String name) {
    List<String> longer = new ArrayList<>(names);
    longer.add(name);
    return new TreePath(longer);
  }

  /** Whether this path is below the other one; false if they are equal. */
  public boolean isBelow(TreePath other) {
    return names.size() > other.names.size()
        && names.subList(0, other.names.size()).equals(other.names);
  }

  @Override
  public String toString() {
    return "/" + String.join("/", names);
  }
}
