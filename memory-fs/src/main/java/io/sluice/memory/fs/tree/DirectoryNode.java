package io.sluice.memory.fs.tree;

import java.util.Collection;
import java.util.Collections;
import java.util.TreeMap;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * A directory, in the order of names.
 *
 * <p>Thread contract: guarded by the lock of its {@link Namespace}.
 */
final class DirectoryNode extends Node {
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
    child.placedIn(this, name);
    modified();
  }

  void remove(Node child) {
    children.remove(child.name());
    child.placedIn(null, "");
    modified();
  }
}
