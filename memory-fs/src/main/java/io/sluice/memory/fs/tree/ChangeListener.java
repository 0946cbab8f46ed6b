package io.sluice.memory.fs.tree;

import io.sluice.memory.fs.space.FileContent;
import java.io.IOException;

/**
 * Is told what has changed in a namespace, in order.
 *
 * <p>Thread contract: told under the lock of the {@link Namespace}, so it must be quick and ask the
 * namespace nothing; {@link #check} and {@link #checkName} from any thread.
 */
public interface ChangeListener {
  /** Nobody is interested. */
  ChangeListener NONE =
      new ChangeListener() {
        @Override
        public void check() {
          // nothing can go wrong
        }

        @Override
        public void checkName(TreePath path) {
          // all names are good
        }

        @Override
        public void written(TreePath path, FileContent content) {
          // nobody wants it
        }

        @Override
        public void renamed(TreePath from, TreePath to) {
          // as above
        }

        @Override
        public void deleted(TreePath path) {
          // as above
        }

        @Override
        public void madeDirectory(TreePath path) {
          // as above
        }
      };

  /** Fails if no more may change. */
  void check() throws IOException;

  /** Fails if nothing can have that path where the changes are repeated; from any thread. */
  void checkName(TreePath path) throws IOException;

  /** A file is closed, or has another length, and can be read as it is now. */
  void written(TreePath path, FileContent content);

  /** It is called otherwise, and so is all that is below it; what was there is gone. */
  void renamed(TreePath from, TreePath to);

  /** It is gone, and so is all that was below it. */
  void deleted(TreePath path);

  /** A directory is there, and those above it. */
  void madeDirectory(TreePath path);
}
