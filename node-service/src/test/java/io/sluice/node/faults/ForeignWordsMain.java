package io.sluice.node.faults;

import io.sluice.node.wire.FailureMeaning;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Runs out of descriptors, and says in whose words, and whose trouble that is. */
final class ForeignWordsMain {
  private ForeignWordsMain() {}

  public static void main(String[] args) throws IOException {
    FailureMeaning.load();
    List<FileInputStream> taken = new ArrayList<>();
    // The C library opens its translations when it words its first error, which is rarely this one.
    failure(taken, "/nowhere");
    IOException shortage = null;
    while (shortage == null) {
      shortage = failure(taken, "/dev/null");
    }
    for (FileInputStream file : taken) { // by no class of ours: those are files here
      file.close();
    }
    System.out.println("said " + shortage.getMessage());
    System.out.println("trouble " + FailureMeaning.ofAsking(shortage));
  }

  /** That of opening it; null if it is open now. */
  private static IOException failure(List<FileInputStream> open, String path) {
    try {
      open.add(new FileInputStream(path));
      return null;
    } catch (IOException e) {
      return e;
    }
  }
}
