package io.sluice.memory.fs.tree;

import java.io.IOException;
import java.util.function.Consumer;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;

/**
 * What may be called what: the rules of HDFS.
 *
 * <p>Thread contract: guarded by the lock of its {@link Namespace}. Failure: nothing has changed.
 */
final class Renames {
  private final Directories directories;

  Renames(Directories directories) {
    this.directories = directories;
  }

  /**
   * As {@code mv} does it, into a directory that is there, but over nothing.
   *
   * @return the new path, or null if it may not be
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
    place(moved, from, target);
    return target;
  }

  /** To exactly that path, over what is there if it may be. */
  void rename(TreePath from, TreePath to, boolean overwrite, Consumer<FileNode> gone)
      throws IOException {
    Node moved = directories.get(from);
    String what = from + " cannot be renamed to " + to + ": ";
    if (to.equals(from)) {
      throw new FileAlreadyExistsException(what + "that is the same");
    }
    if (from.isRoot() || to.isRoot()) {
      throw new IOException(what + "nothing can be done to the root");
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
    place(moved, from, to);
  }

  private static void checkReplaceable(
      Node moved, Node there, boolean overwrite, TreePath to, String what) throws IOException {
    if (moved instanceof DirectoryNode != there instanceof DirectoryNode) {
      throw new IOException(what + "one of them is a directory and the other is not");
    }
    if (!overwrite) {
      throw new FileAlreadyExistsException(what + "it exists");
    }
    if (there instanceof DirectoryNode directory && !directory.isEmpty()) {
      throw new PathIsNotEmptyDirectoryException(to.toString());
    }
  }

  private void place(Node moved, TreePath from, TreePath to) throws IOException {
    DirectoryNode target = directories.parent(to);
    directories.parent(from).remove(moved);
    target.put(to.name(), moved);
  }
}
