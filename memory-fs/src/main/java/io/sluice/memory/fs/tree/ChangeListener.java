package io.sluice.memory.fs.tree;

import io.sluice.memory.fs.space.FileContent;
import java.io.IOException;

/**
 * Receives the changes of a namespace, in order.
 *
 * <p>Thread contract: called under the lock of the {@link Namespace}, so it must be quick and must
 * not call the namespace; {@link #check} and {@link #checkName} from any thread.
 */
public interface ChangeListener {
  /** Ignores all changes. */
  ChangeListener NONE =
      new ChangeListener() {
        @Override
        public void check() {
          // all changes are allowed
        }

        @Override
        public void checkName(TreePath path) {
          // all names are allowed
        }

        @Override
        public void written(TreePath path, FileContent content) {
          // ignored
        }

        @Override
        public void renamed(TreePath from, TreePath to) {
          // ignored
        }

        @Override
        public void deleted(TreePath path) {
          // ignored
        }

        @Override
        public void madeDirectory(TreePath path) {
          // ignored
        }
      };

  /** Fails if no further change is allowed. */
  void check() throws IOException;

  /** Fails if the other file system cannot have this path. */
  void checkName(TreePath path) throws IOException;

  /** A file was closed or truncated, and has this content now. */
  void written(TreePath path, FileContent content);

  /** A file or directory was renamed with all below it, and replaced what was at {@code to}. */
  void renamed(TreePath from, TreePath to);

  /** A file or directory was deleted with all below it. */
  void deleted(TreePath path);

  /** A directory exists now, and its parents. */
  void madeDirectory(TreePath path);
}
