package io.sluice.memory.fs.tree;

import io.sluice.memory.fs.space.FileContent;
import java.io.IOException;

/**
 * Receives the changes of a namespace, in order. By default it allows and ignores them.
 *
 * <p>Thread contract: called under the lock of the {@link Namespace}, so it must be quick and must
 * not call the namespace; {@link #check} and {@link #checkName} from any thread.
 */
public interface ChangeListener {
  /** Allows and ignores all changes. */
  ChangeListener NONE = new ChangeListener() {};

  /** Fails if no further change is allowed. */
  default void check() throws IOException {}

  /** Fails if the other file system cannot have this path. */
  default void checkName(TreePath path) throws IOException {}

  /** A file was closed or truncated, and has this content now. */
  default void written(TreePath path, FileContent content) {}

  /** A file or directory was renamed with all below it, and replaced what was at {@code to}. */
  default void renamed(TreePath from, TreePath to) {}

  /** A file or directory was deleted with all below it. */
  default void deleted(TreePath path) {}

  /** A directory exists now, and its parents. */
  default void madeDirectory(TreePath path) {}
}
