package io.sluice.memory.fs.tree;

import io.sluice.memory.fs.space.FileContent;
import io.sluice.memory.fs.space.FileSpace;
import io.sluice.rdma.memory.Closer;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * A tree of files and directories in memory, with the rules of HDFS.
 *
 * <p>Thread contract: safe from any thread; each operation is one step for all others. One lock
 * guards the names, and nobody holds it while bytes are read, written or freed. Ownership: the
 * space stays its owner's. Failure: what Hadoop's file systems throw, with the path; nothing has
 * changed then.
 */
public final class Namespace {
  private final FileSpace space;
  private final ChangeListener changes;
  private final Directories directories;
  private final Renames renames;
  private final Map<Long, FileNode> filesById = new ConcurrentHashMap<>();
  private final ReadWriteLock lock = new ReentrantReadWriteLock();

  /**
   * An empty one.
   *
   * @param owner of the root
   * @param changes is told of them
   */
  public Namespace(FileSpace space, String owner, ChangeListener changes) {
    this.space = space;
    this.changes = changes;
    this.directories = new Directories(owner);
    this.renames = new Renames(directories);
  }

  /** What is done under the lock. */
  private interface Step<T> {
    T run() throws IOException;
  }

  /** What is done under the lock, and leaves files without a name. */
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

  /** Refuses what a new file or directory cannot be called. */
  private void requireCreatable(TreePath path) throws IOException {
    path.requireCreatable();
    changes.checkName(path);
  }

  /** Frees what has no name any more when the lock is free again. */
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

  /** What is there. */
  public Entry status(TreePath path) throws IOException {
    return looking(() -> Entry.of(directories.get(path)));
  }

  /**
   * What is there: a file, or what is in a directory, in the order of names.
   *
   * @param file empty if it is a directory
   */
  public record Listing(Optional<Entry> file, List<Entry> children) {}

  /** What is there, and if it is a directory what is in it. */
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

  /** Opens the file of that id, whatever it is called; null if it is gone. */
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

  /** What the file of that id is now, and where; null if it is gone. */
  public Located find(long id) throws IOException {
    return looking(
        () -> {
          FileNode file = filesById.get(id);
          return file == null || !file.isNamed() ? null : new Located(file.path(), Entry.of(file));
        });
  }

  /** A file and its path. */
  public record Located(TreePath path, Entry entry) {}

  /**
   * Makes a file, open for writing.
   *
   * @param overwrite whether it takes the place of one that is there
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

  /** As HDFS has it: all may do what they may with the file, and enter. */
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

  /** Also if no more may change: somebody who ends must leave nothing behind. */
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
          openedAs + " was deleted or replaced while it was written; what was written is gone");
    }
    changes.check();
  }

  private static void checkUnwritten(FileNode file, TreePath path) throws IOException {
    if (file.isWritten()) {
      throw new IOException(path + " is being written; a file has one writer at a time");
    }
  }

  /** Makes a directory, and those above it. */
  public void makeDirectories(TreePath path, NewNode like) throws IOException {
    requireCreatable(path);
    changing(
        () -> {
          if (directories.find(path) instanceof FileNode) {
            throw new FileAlreadyExistsException(path + " is a file");
          }
          directories.makeDirectories(path, like);
          changes.madeDirectory(path);
          return null;
        });
  }

  /**
   * Takes away what is there. The root stays, whatever is asked for.
   *
   * @return whether there was something to take away
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

  /** As {@code mv} does it, into a directory that is there, but over nothing; false if not. */
  public boolean move(TreePath from, TreePath to) throws IOException {
    requireCreatable(to);
    return changing(
        () -> {
          TreePath moved = renames.move(from, to);
          if (moved != null && !moved.equals(from)) {
            changes.renamed(from, moved);
          }
          return moved != null;
        });
  }

  /** To exactly that path, over what is there if it may be. */
  public void rename(TreePath from, TreePath to, boolean overwrite) throws IOException {
    requireCreatable(to);
    removing(
        gone -> {
          renames.rename(from, to, overwrite, gone::add);
          changes.renamed(from, to);
          return null;
        });
  }

  /** Puts the bytes of files behind those of another; these files are gone then. */
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
              throw new IOException(source + " cannot be put behind " + target + " twice");
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

  /** Drops what is behind the first bytes of a file. */
  public void truncate(TreePath path, long keptBytes) throws IOException {
    Closeable cut =
        changing(
            () -> {
              FileNode file = directories.file(path);
              checkUnwritten(file, path);
              long lengthBytes = file.content().lengthBytes();
              if (keptBytes < 0 || keptBytes > lengthBytes) {
                throw new IllegalArgumentException(
                    "%s has %s bytes, of which %s cannot be kept"
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
    changing(
        () -> {
          directories.get(path).setPermission(permission);
          return null;
        });
  }

  /** Sets what is not null. */
  public void setOwner(TreePath path, String owner, String group) throws IOException {
    changing(
        () -> {
          directories.get(path).setOwner(owner, group);
          return null;
        });
  }

  /** Sets those that are not negative. */
  public void setTimes(TreePath path, long modifiedMs, long accessedMs) throws IOException {
    changing(
        () -> {
          directories.get(path).setTimes(modifiedMs, accessedMs);
          return null;
        });
  }

  /** Sets what is shown of a file; false if there is none. */
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

  /** The extended attributes; not to be changed. */
  public Map<String, byte[]> attributes(TreePath path) throws IOException {
    return looking(() -> directories.get(path).attributes());
  }

  /** A change of one extended attribute. */
  public interface AttributeChange {
    /** The new value out of the one before; null is none. */
    byte[] of(byte[] before) throws IOException;
  }

  /** Changes an extended attribute. */
  public void changeAttribute(TreePath path, String attribute, AttributeChange change)
      throws IOException {
    changing(
        () -> {
          Node node = directories.get(path);
          node.setAttribute(attribute, change.of(node.attributes().get(attribute)));
          return null;
        });
  }
}
