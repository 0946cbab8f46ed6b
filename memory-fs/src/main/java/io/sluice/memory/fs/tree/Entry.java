package io.sluice.memory.fs.tree;

import org.apache.hadoop.fs.permission.FsPermission;

/**
 * A moment of a file or directory.
 *
 * @param name the last one of its path, empty for the root
 * @param id of the file or directory, whatever it is called
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
}
