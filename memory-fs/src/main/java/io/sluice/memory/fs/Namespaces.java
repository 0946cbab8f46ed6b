package io.sluice.memory.fs;

import io.sluice.memory.fs.space.FileSpace;
import io.sluice.memory.fs.tree.Namespace;
import io.sluice.memory.store.ProcessStore;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;

/**
 * The namespaces of this process, one for each authority of a URI, and one without. They share the
 * process's store.
 *
 * <p>Thread contract: safe from any thread. Ownership: they live until the JVM ends.
 */
final class Namespaces {
  private static final Map<String, Namespace> BY_AUTHORITY =
      new HashMap<>(); // guarded by the class

  private static FileSpace space; // guarded by the class

  private Namespaces() {}

  /**
   * That of an authority, which is made now unless it was before.
   *
   * @param authority empty for the one without
   * @param user to whom the root belongs, if it is made
   */
  static synchronized Namespace of(String authority, Configuration conf, String user)
      throws IOException {
    Namespace namespace = BY_AUTHORITY.get(authority);
    if (namespace == null) {
      if (space == null) {
        space = new FileSpace(ProcessStore.of(conf).store());
      }
      namespace = new Namespace(space, user);
      BY_AUTHORITY.put(authority, namespace);
    }
    return namespace;
  }
}
