package io.sluice.memory.fs;

import io.sluice.memory.fs.tree.Namespace;
import io.sluice.memory.fs.tree.TreePath;
import java.io.IOException;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.XAttrSetFlag;

/**
 * The extended attributes of one file or directory. Values are copied on the way in and out.
 *
 * <p>Thread contract: safe from any thread; a change is one step of the namespace. Failure: {@link
 * IOException} if the file or the attribute does not exist, or if the flags forbid the change.
 */
record ExtendedAttributes(Namespace namespace, TreePath path) {
  /** A null value is stored as no bytes. */
  void set(String name, byte[] value, EnumSet<XAttrSetFlag> flags) throws IOException {
    byte[] kept = value == null ? new byte[0] : value.clone();
    namespace.changeAttribute(
        path,
        name,
        before -> {
          XAttrSetFlag.validate(name, before != null, flags);
          return kept;
        });
  }

  void remove(String name) throws IOException {
    namespace.changeAttribute(
        path,
        name,
        before -> {
          if (before == null) {
            throw missing(name);
          }
          return null;
        });
  }

  Map<String, byte[]> all() throws IOException {
    Map<String, byte[]> copies = new LinkedHashMap<>();
    namespace.attributes(path).forEach((name, value) -> copies.put(name, value.clone()));
    return copies;
  }

  /** The attributes with these names, each of which must exist. */
  Map<String, byte[]> named(List<String> names) throws IOException {
    Map<String, byte[]> found = all();
    for (String name : names) {
      if (!found.containsKey(name)) {
        throw missing(name);
      }
    }
    found.keySet().retainAll(names);
    return found;
  }

  private IOException missing(String name) {
    return new IOException(path + " has no attribute " + name);
  }
}
