package io.sluice.memory.fs.behind;

import io.sluice.memory.fs.space.FileContent;
import io.sluice.memory.fs.tree.TreePath;
import java.io.IOException;

/** Something that is to happen in the other file system too. */
sealed interface MirroredChange {
  /** Says what, for messages. */
  @Override
  String toString();

  /** It will not be done any more, or is done. */
  default void end() throws IOException {
    // most hold nothing
  }

  /** A file is there with these bytes, which are held until the end. */
  record Written(TreePath path, FileContent content) implements MirroredChange {
    @Override
    public String toString() {
      return path.toString();
    }

    @Override
    public void end() throws IOException {
      content.letGo();
    }
  }

  /** One is called otherwise. */
  record Renamed(TreePath from, TreePath to) implements MirroredChange {
    @Override
    public String toString() {
      return "the renaming of " + from + " to " + to;
    }
  }

  /** One is gone. */
  record Deleted(TreePath path) implements MirroredChange {
    @Override
    public String toString() {
      return "the deletion of " + path;
    }
  }

  /** A directory is there. */
  record MadeDirectory(TreePath path) implements MirroredChange {
    @Override
    public String toString() {
      return path + "/";
    }
  }
}
