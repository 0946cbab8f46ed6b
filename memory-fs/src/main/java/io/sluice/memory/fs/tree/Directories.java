package io.sluice.memory.fs.tree;

import io.sluice.memory.fs.tree.Entry.NewNode;
import io.sluice.memory.fs.tree.Node.DirectoryNode;
import io.sluice.memory.fs.tree.Node.FileNode;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * The tree of names: finds, makes, removes and renames files and directories, with HDFS's rules.
 *
 * <p>Thread contract: guarded by the lock of its {@link Namespace}. Failure: the exceptions that
 * Hadoop specifies, with the path; nothing has changed then.
 */
final class Directories {
  /** HDFS's default. */
  private static final String ROOT_GROUP = "supergroup";

  private static final int OWNER_MAY_ENTER = 0300;

  private final DirectoryNode root;
  private long lastId;

  Directories(String owner) {
    this.root =
        new DirectoryNode(newId(), owner, ROOT_GROUP, FsPermission.createImmutable((short) 0755));
  }

  long newId() {
    return ++lastId;
  }

  /** The file or directory at a path, or null. */
  Node find(TreePath path) {
    Node node = root;
    for (String name : path.names()) {
      if (!(node instanceof DirectoryNode directory)) {
        return null;
      }
      node = directory.child(name);
      if (node == null) {
        return null;
      }
    }
    return node;
  }

  /** The file or directory at a path. */
  Node get(TreePath path) throws FileNotFoundException {
    Node node = find(path);
    if (node == null) {
      throw new FileNotFoundException("there is no " + path);
    }
    return node;
  }

  /** The file at a path. */
  FileNode file(TreePath path) throws FileNotFoundException {
    if (get(path) instanceof FileNode file) {
      return file;
    }
    throw new FileNotFoundException(path + " is a directory, not a file");
  }

  /** The parent directory of a path, which must exist. */
  DirectoryNode parent(TreePath path) throws IOException {
    TreePath parent = path.parent();
    checkDirectories(parent);
    return (DirectoryNode) get(parent);
  }

  /** Fails if a part of the path is a file. */
  private void checkDirectories(TreePath path) throws ParentNotDirectoryException {
    Node node = root;
    for (String name : path.names()) {
      node = ((DirectoryNode) node).child(name);
      if (node == null) {
        return;
      }
      if (node instanceof FileNode) {
        throw new ParentNotDirectoryException(
            node.path() + " is a file, so there cannot be a directory " + path);
      }
    }
  }

  /** The directory at a path; makes it and its parents if they do not exist. */
  DirectoryNode makeDirectories(TreePath path, NewNode like) throws IOException {
    checkDirectories(path);
    DirectoryNode directory = root;
    List<String> names = path.names();
    for (int i = 0; i < names.size(); i++) {
      Node child = directory.child(names.get(i));
      if (child == null) {
        FsPermission permission =
            i == names.size() - 1
                ? like.permission()
                : new FsPermission((short) (like.permission().toShort() | OWNER_MAY_ENTER));
        child = new DirectoryNode(newId(), like.owner(), directory.group(), permission);
        directory.put(names.get(i), child);
      }
      directory = (DirectoryNode) child;
    }
    return directory;
  }

  /** Fails if a directory is at the path. */
  void checkNoDirectory(TreePath path) throws FileAlreadyExistsException {
    if (find(path) instanceof DirectoryNode) {
      throw new FileAlreadyExistsException(path + " is a directory");
    }
  }

  /** Removes a node and all below it; {@code gone} receives the files. */
  void remove(TreePath path, Node node, Consumer<FileNode> gone) throws IOException {
    parent(path).remove(node);
    loseNames(node, gone);
  }

  private static void loseNames(Node node, Consumer<FileNode> gone) {
    if (node instanceof FileNode file) {
      file.loseName();
      gone.accept(file);
    } else {
      ((DirectoryNode) node).children().forEach(child -> loseNames(child, gone));
    }
  }

  /**
   * Renames as {@code mv} does, into {@code to} if that is a directory. Never replaces.
   *
   * @return the new path, or null if the rename is not allowed
   */
  TreePath move(TreePath from, TreePath to) throws IOException {
    Node moved = find(from);
    if (moved == null || from.isRoot()) {
      return null;
    }
    boolean into = find(to) instanceof DirectoryNode;
    TreePath target = into ? to.child(from.name()) : to;
    if (target.equals(from)) {
      return target;
    }
    if (target.isRoot() || target.isBelow(from) || find(target) != null) {
      return null;
    }
    if (find(target.parent()) == null) {
      return null;
    }
    relink(moved, from, target);
    return target;
  }

  /** Renames to exactly this path; replaces only with {@code overwrite}. */
  void rename(TreePath from, TreePath to, boolean overwrite, Consumer<FileNode> gone)
      throws IOException {
    Node moved = get(from);
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
    Node there = find(to);
    parent(to);
    if (there != null) {
      checkReplaceable(moved, there, overwrite, to, what);
      remove(to, there, gone);
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
    DirectoryNode target = parent(to);
    parent(from).remove(moved);
    target.put(to.name(), moved);
  }
}
