package io.sluice.memory.fs.tree;

import java.util.ArrayList;
import java.util.List;

/**
 * The names from the root to a file or directory.
 *
 * <p>Thread contract: immutable.
 */
public record TreePath(List<String> names) {
  private static final TreePath ROOT = new TreePath(List.of());

  public TreePath {
    names = List.copyOf(names);
  }

  /** Of an absolute path as Hadoop writes it. */
  public static TreePath of(String absolute) {
    List<String> names = new ArrayList<>();
    for (String name : absolute.split("/")) {
      if (!name.isEmpty()) {
        names.add(name);
      }
    }
    return names.isEmpty() ? ROOT : new TreePath(names);
  }

  /** Whether it is that of the root. */
  public boolean isRoot() {
    return names.isEmpty();
  }

  /** The last name; there is none of the root. */
  public String name() {
    return names.get(names.size() - 1);
  }

  /** Without the last name; there is none of the root. */
  public TreePath parent() {
    return new TreePath(names.subList(0, names.size() - 1));
  }

  /** With one more name. */
  public TreePath child(String name) {
    List<String> longer = new ArrayList<>(names);
    longer.add(name);
    return new TreePath(longer);
  }

  /** Whether it is below that one, and not that one itself. */
  public boolean isBelow(TreePath other) {
    return names.size() > other.names.size()
        && names.subList(0, other.names.size()).equals(other.names);
  }

  @Override
  public String toString() {
    return "/" + String.join("/", names);
  }
}
