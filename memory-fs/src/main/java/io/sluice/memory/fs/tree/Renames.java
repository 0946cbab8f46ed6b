package io.sluice.memory.fs.tree;

import io.sluice.memory.fs.tree.Node.DirectoryNode;
import io.sluice.memory.fs.tree.Node.FileNode;
import java.io.IOException;
import java.util.function.Consumer;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;

/**
 * HDFS's rules for renames.
 *
 * <p>Thread contract: guarded by the lock of its {@link Namespace}. Failure: nothing has changed.
 */
final class Renames {
  private final Directories directories;

  Renames(Directories directories) {
    this.directories = directories;
  }

  /**
   * Renames as {@code mv} does, into {@code to} if that is a directory. Never replaces.
   *
   * @return the new path, or null if the rename is not allowed
   */
  TreePath move(TreePath from, TreePath to) throws IOException {
    Node moved = directories.find(from);
    if (moved == null || from.isRoot()) {
      return null;
    }
    boolean into = directories.find(to) instanceof DirectoryNode;
    TreePath target = into ? to.child(from.name()) : to;
    if (target.equals(from)) {
      return target;
    }
    if (target.isRoot() || target.isBelow(from) || directories.find(target) != null) {
      return null;
    }
    if (directories.find(target.parent()) == null) {
      return null;
    }
    relink(moved, from, target);
    return target;
  }

  /** Renames to exactly this path; replaces only with {@code overwrite}. */
  void rename(TreePath from, TreePath to, boolean overwrite, Consumer<FileNode> gone)
      throws IOException {
    Node moved = directories.get(from);
    String what = from + " cannot be renamed to " + to + ": ";
    if (to.equals(from)) {
      throw new FileAlreadyExistsException(what + "the paths are the same");
    }
    if (from.isRoot() || to.isRoot()) {
      throw new IOException(what + "the root cannot be renamed or replaced");
    }
    if (to.isBelow(from)) {
      throw new IOException(what + "a directory cannot be moved below itself");
    }
    Node there = directories.find(to);
    directories.parent(to);
    if (there != null) {
      checkReplaceable(moved, there, overwrite, to, what);
      directories.remove(to, there, gone);
    }
    relink(moved, from, to);
  }

  private static void checkReplaceable(
      Node moved, Node there, boolean overwrite, TreePath to, String what) throws IOException {
    if (moved instanceof DirectoryNode != there instanceof DirectoryNode) {
      throw new IOException(what + "one of them is a directory and the other is not");
    }
    if (!overwrite) {
      throw new FileAlreadyExistsException(what + "the target exists");
    }
    if (there instanceof DirectoryNode directory && !directory.isEmpty()) {
      throw new PathIsNotEmptyDirectoryException(to.toString());
    }
  }

  private void relink(Node moved, TreePath from, TreePath to) throws IOException {
    DirectoryNode target = directories.parent(to);
    directories.parent(from).remove(moved);
    target.put(to.name(), moved);
  }
}
