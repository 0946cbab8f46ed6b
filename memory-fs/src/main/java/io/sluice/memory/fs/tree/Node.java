package io.sluice.memory.fs.tree;

import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * What a file and a directory have in common.
 *
 * <p>Thread contract: guarded by the lock of its {@link Namespace}.
 */
abstract class Node {
  private final long id;
  private Node parent; // null: it is the root, or has no name any more
  private String name = "";
  private String owner;
  private String group;
  private FsPermission permission;
  private long modifiedMs = System.currentTimeMillis();
  private volatile long accessedMs = modifiedMs; // what is opened is not locked for that
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

  /** As people read it, from the root. */
  TreePath path() {
    return parent == null ? TreePath.of("") : parent.path().child(name);
  }

  /** It is there, under that name. */
  void placedIn(Node parent, String name) {
    this.parent = parent;
    this.name = name;
  }

  String owner() {
    return owner;
  }

  String group() {
    return group;
  }

  /** Sets what is not null. */
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

  /** Sets those that are not negative. */
  void setTimes(long modifiedMs, long accessedMs) {
    this.modifiedMs = modifiedMs < 0 ? this.modifiedMs : modifiedMs;
    this.accessedMs = accessedMs < 0 ? this.accessedMs : accessedMs;
  }

  /** Extended attributes; not to be changed. */
  Map<String, byte[]> attributes() {
    return attributes;
  }

  /** Null removes it. */
  void setAttribute(String attribute, byte[] value) {
    Map<String, byte[]> changed = new TreeMap<>(attributes);
    if (value == null) {
      changed.remove(attribute);
    } else {
      changed.put(attribute, value);
    }
    attributes = changed;
  }
}
