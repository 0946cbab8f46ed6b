package io.sluice.memory.fs.tree;

import io.sluice.memory.fs.tree.Node.FileNode;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * A snapshot of a file or directory.
 *
 * @param name the last name of its path, empty for the root
 * @param id of the file or directory; a rename keeps it
 * @param version of a file's content
 */
public record Entry(
    String name,
    boolean isDirectory,
    long id,
    long version,
    long lengthBytes,
    short replication,
    long blockBytes,
    long modifiedMs,
    long accessedMs,
    FsPermission permission,
    String owner,
    String group) {

  static Entry of(Node node) {
    FileNode file = node instanceof FileNode aFile ? aFile : null;
    return new Entry(
        node.name(),
        file == null,
        node.id(),
        file == null ? 0 : file.version(),
        file == null ? 0 : file.content().lengthBytes(),
        file == null ? 0 : file.replication(),
        file == null ? 0 : file.blockBytes(),
        node.modifiedMs(),
        node.accessedMs(),
        node.permission(),
        node.owner(),
        node.group());
  }

  /**
   * The answer to a listing: a file, or the children of a directory in the order of names.
   *
   * @param file empty if it is a directory
   */
  public record Listing(Optional<Entry> file, List<Entry> children) {}

  /** A file and its path. */
  public record Located(TreePath path, Entry entry) {}

  /**
   * The attributes of a new file or directory.
   *
   * @param owner the user who makes it
   * @param permission all of its bits
   * @param createParent whether missing parents are made
   */
  public record NewNode(String owner, FsPermission permission, boolean createParent) {}
}
