package io.sluice.memory.fs.tree;

import io.sluice.memory.fs.space.FileContent;
import io.sluice.memory.fs.space.FileSpace;
import io.sluice.memory.fs.tree.Entry.Listing;
import io.sluice.memory.fs.tree.Entry.Located;
import io.sluice.memory.fs.tree.Entry.NewNode;
import io.sluice.memory.fs.tree.Node.DirectoryNode;
import io.sluice.memory.fs.tree.Node.FileNode;
import io.sluice.rdma.memory.Closer;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * A tree of files and directories in memory, with the rules of HDFS.
 *
 * <p>Thread contract: safe from any thread; each operation is atomic. One lock guards the names; it
 * is not held while bytes are read, written or freed. Ownership: the caller owns the space.
 * Failure: the exceptions that Hadoop specifies, with the path; nothing has changed then.
 */
public final class Namespace {
  private final FileSpace space;
  private final ChangeListener changes;
  private final Directories directories;
  private final Map<Long, FileNode> filesById = new ConcurrentHashMap<>();
  private final ReadWriteLock lock = new ReentrantReadWriteLock();

  /**
   * An empty namespace.
   *
   * @param owner of the root
   * @param changes receives each change
   */
  public Namespace(FileSpace space, String owner, ChangeListener changes) {
    this.space = space;
    this.changes = changes;
    this.directories = new Directories(owner);
  }

  /** An operation under the lock. */
  private interface Step<T> {
    T run() throws IOException;
  }

  /** A change under the lock. */
  private interface Change {
    void run() throws IOException;
  }

  /** An operation under the lock that adds the files it removed to {@code gone}. */
  private interface Removal<T> {
    T run(List<FileNode> gone) throws IOException;
  }

  private <T> T looking(Step<T> step) throws IOException {
    lock.readLock().lock();
    try {
      return step.run();
    } finally {
      lock.readLock().unlock();
    }
  }

  private <T> T changing(Step<T> step) throws IOException {
    changes.check();
    lock.writeLock().lock();
    try {
      return step.run();
    } finally {
      lock.writeLock().unlock();
    }
  }

  private void change(Change change) throws IOException {
    changing(
        () -> {
          change.run();
          return null;
        });
  }

  /** Fails if a new file or directory cannot have this path. */
  private void requireCreatable(TreePath path) throws IOException {
    path.requireCreatable();
    changes.checkName(path);
  }

  /** Frees the removed files after the lock is released. */
  private <T> T removing(Removal<T> removal) throws IOException {
    List<FileNode> gone = new ArrayList<>();
    T result = changing(() -> removal.run(gone));
    List<Closeable> freed = new ArrayList<>();
    for (FileNode file : gone) {
      filesById.remove(file.id());
      freed.add(() -> file.content().letGo());
    }
    Closer.all(freed);
    return result;
  }

  /** The status of a file or directory. */
  public Entry status(TreePath path) throws IOException {
    return looking(() -> Entry.of(directories.get(path)));
  }

  /** The file at a path, or the children of the directory. */
  public Listing list(TreePath path) throws IOException {
    return looking(
        () -> {
          Node node = directories.get(path);
          return node instanceof DirectoryNode directory
              ? new Listing(Optional.empty(), directory.children().stream().map(Entry::of).toList())
              : new Listing(Optional.of(Entry.of(node)), List.of());
        });
  }

  /** Opens a file for reading. */
  public OpenFile open(TreePath path) throws IOException {
    return looking(() -> reading(directories.file(path)));
  }

  /** Opens the file with this id, whatever its path; null if it was deleted. */
  public OpenFile open(long id) throws IOException {
    return looking(
        () -> {
          FileNode file = filesById.get(id);
          return file == null || !file.isNamed() ? null : reading(file);
        });
  }

  private static OpenFile reading(FileNode file) {
    file.content().hold();
    file.accessed();
    return new OpenFile(file, file.content()::letGo);
  }

  /** The status and path of the file with this id; null if it was deleted. */
  public Located find(long id) throws IOException {
    return looking(
        () -> {
          FileNode file = filesById.get(id);
          return file == null || !file.isNamed() ? null : new Located(file.path(), Entry.of(file));
        });
  }

  /**
   * Makes a file and opens it for writing.
   *
   * @param overwrite whether it may replace a file
   */
  public OpenFile create(
      TreePath path, NewNode like, short replication, long blockBytes, boolean overwrite)
      throws IOException {
    requireCreatable(path);
    return removing(
        gone -> {
          directories.checkNoDirectory(path);
          Node there = directories.find(path);
          if (there != null && !overwrite) {
            throw new FileAlreadyExistsException(path + " exists");
          }
          DirectoryNode parent =
              like.createParent()
                  ? directories.makeDirectories(path.parent(), parentsLike(like))
                  : directories.parent(path);
          if (there != null) {
            directories.remove(path, there, gone::add);
          }
          FileNode file =
              new FileNode(
                  directories.newId(),
                  like.owner(),
                  parent.group(),
                  like.permission(),
                  new FileContent(space),
                  replication,
                  blockBytes);
          parent.put(path.name(), file);
          filesById.put(file.id(), file);
          return writing(file, path);
        });
  }

  /** As on HDFS: the file's permission, plus the right to enter for all who may read. */
  private static NewNode parentsLike(NewNode file) {
    short bits = file.permission().toShort();
    int enter = (bits & 0444) >> 2;
    return new NewNode(file.owner(), new FsPermission((short) (bits | enter | 0300)), true);
  }

  /** Opens a file for writing at its end. */
  public OpenFile append(TreePath path) throws IOException {
    return changing(
        () -> {
          FileNode file = directories.file(path);
          checkUnwritten(file, path);
          return writing(file, path);
        });
  }

  private OpenFile writing(FileNode file, TreePath path) {
    file.setWritten(true);
    file.content().hold();
    return new OpenFile(file, () -> endWriting(file, path));
  }

  /**
   * Works even if {@link ChangeListener#check} refuses changes: a close must leave nothing open.
   */
  private void endWriting(FileNode file, TreePath openedAs) throws IOException {
    boolean named;
    lock.writeLock().lock();
    try {
      file.setWritten(false);
      file.changed();
      named = file.isNamed();
      if (named) {
        changes.written(file.path(), file.content());
      }
    } finally {
      lock.writeLock().unlock();
    }
    file.content().letGo();
    if (!named) {
      throw new FileNotFoundException(
          openedAs
              + " was deleted or replaced while it was open for writing; the written bytes"
              + " are lost");
    }
    changes.check();
  }

  private static void checkUnwritten(FileNode file, TreePath path) throws IOException {
    if (file.isWritten()) {
      throw new IOException(path + " is being written; a file has one writer at a time");
    }
  }

  /** Makes a directory and its missing parents. */
  public void makeDirectories(TreePath path, NewNode like) throws IOException {
    requireCreatable(path);
    change(
        () -> {
          if (directories.find(path) instanceof FileNode) {
            throw new FileAlreadyExistsException(path + " is a file");
          }
          directories.makeDirectories(path, like);
          changes.madeDirectory(path);
        });
  }

  /**
   * Deletes a file or directory. The root is never deleted.
   *
   * @return whether something was deleted
   */
  public boolean delete(TreePath path, boolean recursive) throws IOException {
    return removing(
        gone -> {
          Node node = directories.find(path);
          if (node == null) {
            return false;
          }
          if (!recursive && node instanceof DirectoryNode directory && !directory.isEmpty()) {
            throw new PathIsNotEmptyDirectoryException(path.toString());
          }
          if (path.isRoot()) {
            return false;
          }
          directories.remove(path, node, gone::add);
          changes.deleted(path);
          return true;
        });
  }

  /**
   * Renames as {@code mv} does, into {@code to} if that is a directory. False if it cannot; never
   * replaces.
   */
  public boolean move(TreePath from, TreePath to) throws IOException {
    requireCreatable(to);
    return changing(
        () -> {
          TreePath moved = directories.move(from, to);
          if (moved != null && !moved.equals(from)) {
            changes.renamed(from, moved);
          }
          return moved != null;
        });
  }

  /** Renames to exactly this path. */
  public void rename(TreePath from, TreePath to, boolean overwrite) throws IOException {
    requireCreatable(to);
    removing(
        gone -> {
          directories.rename(from, to, overwrite, gone::add);
          changes.renamed(from, to);
          return null;
        });
  }

  /** Appends the bytes of the sources to the target, and deletes the sources. */
  public void concat(TreePath target, List<TreePath> sources) throws IOException {
    removing(
        gone -> {
          FileNode file = directories.file(target);
          checkUnwritten(file, target);
          List<FileNode> others = new ArrayList<>();
          for (TreePath source : sources) {
            FileNode other = directories.file(source);
            checkUnwritten(other, source);
            if (other == file || others.contains(other)) {
              throw new IOException(
                  source + " cannot be appended to " + target + " twice or to itself");
            }
            others.add(other);
          }
          file.content().adopt(others.stream().map(FileNode::content).toList());
          file.changed();
          changes.written(target, file.content());
          for (int i = 0; i < others.size(); i++) {
            directories.remove(sources.get(i), others.get(i), gone::add);
            changes.deleted(sources.get(i));
          }
          return null;
        });
  }

  /** Drops all but the first bytes of a file. */
  public void truncate(TreePath path, long keptBytes) throws IOException {
    Closeable cut =
        changing(
            () -> {
              FileNode file = directories.file(path);
              checkUnwritten(file, path);
              long lengthBytes = file.content().lengthBytes();
              if (keptBytes < 0 || keptBytes > lengthBytes) {
                throw new IllegalArgumentException(
                    "%s has %s bytes; expected a new length from 0 to that, but it is %s"
                        .formatted(path, lengthBytes, keptBytes));
              }
              Closeable behind = file.content().truncate(keptBytes);
              file.changed();
              changes.written(path, file.content());
              return behind;
            });
    cut.close();
  }

  /** Sets the permission bits. */
  public void setPermission(TreePath path, FsPermission permission) throws IOException {
    change(() -> directories.get(path).setPermission(permission));
  }

  /** Sets the values that are not null. */
  public void setOwner(TreePath path, String owner, String group) throws IOException {
    change(() -> directories.get(path).setOwner(owner, group));
  }

  /** Sets the times that are not negative. */
  public void setTimes(TreePath path, long modifiedMs, long accessedMs) throws IOException {
    change(() -> directories.get(path).setTimes(modifiedMs, accessedMs));
  }

  /** Sets the replication that a file shows; false if there is no such file. */
  public boolean setReplication(TreePath path, short replication) throws IOException {
    return changing(
        () -> {
          if (directories.find(path) instanceof FileNode file) {
            file.setReplication(replication);
            return true;
          }
          return false;
        });
  }

  /** Copies of the extended attributes. */
  public Map<String, byte[]> attributes(TreePath path) throws IOException {
    return looking(
        () -> {
          Map<String, byte[]> copies = new LinkedHashMap<>();
          directories
              .get(path)
              .attributes()
              .forEach((name, value) -> copies.put(name, value.clone()));
          return copies;
        });
  }

  /** Copies of the extended attributes with these names, each of which must exist. */
  public Map<String, byte[]> attributes(TreePath path, List<String> names) throws IOException {
    Map<String, byte[]> found = attributes(path);
    for (String name : names) {
      requireAttribute(found, path, name);
    }
    found.keySet().retainAll(names);
    return found;
  }

  private static void requireAttribute(Map<String, byte[]> all, TreePath path, String name)
      throws IOException {
    if (!all.containsKey(name)) {
      throw new IOException(path + " has no attribute " + name);
    }
  }

  /** Sets an extended attribute, if the flags allow it. Null is stored as no bytes. */
  public void setAttribute(TreePath path, String name, byte[] value, EnumSet<XAttrSetFlag> flags)
      throws IOException {
    byte[] kept = value == null ? new byte[0] : value.clone();
    change(
        () -> {
          Node node = directories.get(path);
          XAttrSetFlag.validate(name, node.attributes().containsKey(name), flags);
          node.setAttribute(name, kept);
        });
  }

  /** Removes an extended attribute, which must exist. */
  public void removeAttribute(TreePath path, String name) throws IOException {
    change(
        () -> {
          Node node = directories.get(path);
          requireAttribute(node.attributes(), path, name);
          node.setAttribute(name, null);
        });
  }
}
