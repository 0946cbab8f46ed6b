package io.sluice.memory.fs.tree;

import io.sluice.memory.fs.space.FileContent;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * A file or directory: the common part.
 *
 * <p>Thread contract: guarded by the lock of its {@link Namespace}.
 */
abstract class Node {
  private final long id;
  private Node parent; // null for the root and for removed nodes
  private String name = "";
  private String owner;
  private String group;
  private FsPermission permission;
  private long modifiedMs = System.currentTimeMillis();
  private volatile long accessedMs = modifiedMs; // set under the read lock
  private Map<String, byte[]> attributes = Map.of();

  Node(long id, String owner, String group, FsPermission permission) {
    this.id = id;
    this.owner = owner;
    this.group = group;
    this.permission = permission;
  }

  long id() {
    return id;
  }

  String name() {
    return name;
  }

  /** The path from the root. */
  TreePath path() {
    return parent == null ? TreePath.of("") : parent.path().child(name);
  }

  /** Sets the parent and the name. */
  void setParent(Node parent, String name) {
    this.parent = parent;
    this.name = name;
  }

  String owner() {
    return owner;
  }

  String group() {
    return group;
  }

  /** Sets the values that are not null. */
  void setOwner(String owner, String group) {
    this.owner = owner == null ? this.owner : owner;
    this.group = group == null ? this.group : group;
  }

  FsPermission permission() {
    return permission;
  }

  void setPermission(FsPermission permission) {
    this.permission = permission;
  }

  long modifiedMs() {
    return modifiedMs;
  }

  long accessedMs() {
    return accessedMs;
  }

  void modified() {
    modifiedMs = System.currentTimeMillis();
  }

  void accessed() {
    accessedMs = System.currentTimeMillis();
  }

  /** Sets the times that are not negative. */
  void setTimes(long modifiedMs, long accessedMs) {
    this.modifiedMs = modifiedMs < 0 ? this.modifiedMs : modifiedMs;
    this.accessedMs = accessedMs < 0 ? this.accessedMs : accessedMs;
  }

  /** The extended attributes; callers must not change them. */
  Map<String, byte[]> attributes() {
    return attributes;
  }

  /** Sets an extended attribute; null removes it. */
  void setAttribute(String attribute, byte[] value) {
    Map<String, byte[]> changed = new TreeMap<>(attributes);
    if (value == null) {
      changed.remove(attribute);
    } else {
      changed.put(attribute, value);
    }
    attributes = changed;
  }

  /**
   * A file.
   *
   * <p>Thread contract: guarded by the lock of its {@link Namespace}, except for the content and
   * {@link #isNamed}.
   */
  static final class FileNode extends Node {
    private final FileContent content;
    private final long blockBytes;
    private short replication;
    private boolean written;
    private long version;
    private volatile boolean named = true;

    FileNode(
        long id,
        String owner,
        String group,
        FsPermission permission,
        FileContent content,
        short replication,
        long blockBytes) {
      super(id, owner, group, permission);
      this.content = content;
      this.replication = replication;
      this.blockBytes = blockBytes;
    }

    FileContent content() {
      return content;
    }

    long blockBytes() {
      return blockBytes;
    }

    short replication() {
      return replication;
    }

    void setReplication(short replication) {
      this.replication = replication;
    }

    /** Whether it is open for writing. */
    boolean isWritten() {
      return written;
    }

    void setWritten(boolean written) {
      this.written = written;
    }

    /** The content's version; each writer increments it. */
    long version() {
      return version;
    }

    void changed() {
      version++;
      modified();
    }

    boolean isNamed() {
      return named;
    }

    void loseName() {
      named = false;
    }
  }

  /**
   * A directory; its children are in the order of their names.
   *
   * <p>Thread contract: guarded by the lock of its {@link Namespace}.
   */
  static final class DirectoryNode extends Node {
    private final TreeMap<String, Node> children = new TreeMap<>();

    DirectoryNode(long id, String owner, String group, FsPermission permission) {
      super(id, owner, group, permission);
    }

    Node child(String name) {
      return children.get(name);
    }

    Collection<Node> children() {
      return Collections.unmodifiableCollection(children.values());
    }

    boolean isEmpty() {
      return children.isEmpty();
    }

    void put(String name, Node child) {
      children.put(name, child);
      child.setParent(this, name);
      modified();
    }

    void remove(Node child) {
      children.remove(child.name());
      child.setParent(null, "");
      modified();
    }
  }
}
