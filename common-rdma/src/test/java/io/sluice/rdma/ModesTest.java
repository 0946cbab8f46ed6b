package io.sluice.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Files and directories are made with a mode that the code says, not with what the umask of the
 * process leaves: one says nothing of the secrets of jobs, the other of what they are to share.
 */
class ModesTest {
  private static final String ARGUMENT = "(?:[^,()]|\\((?:[^()]|\\([^()]*\\))*\\))*";
  private static final Pattern MADE_WITHOUT_A_MODE =
      Pattern.compile(
          "Files\\.create(?:File|Directory|Directories)\\("
              + ARGUMENT
              + "\\)|\\.mkdirs?\\(\\)|\\.createNewFile\\(\\)"
              + "|new FileOutputStream\\(|new FileWriter\\(|Files\\.newOutputStream\\("
              + "|Files\\.newBufferedWriter\\(|Files\\.writeString\\("
              + ARGUMENT
              + ","
              + ARGUMENT
              + "\\)|Files\\.write\\("
              + ARGUMENT
              + ","
              + ARGUMENT
              + "\\)");

  /** Types, each with a reason. */
  private static final Set<String> OTHERS =
      Set.of(
          "ApplicationRegistry", // writes to files that it has made with a mode
          "TaskArchive", // in a directory of its own; sets the mode of what stays
          "BlockSink", // Spark's own files, with the mode that Spark gives them
          "OutgoingOutputs", // the same
          "OutputMarker", // stock's empty file.out
          "WorkingLinks", // the user's own directories, in the process of a client
          "ProcessDirectories", // the same
          "TaskRun"); // the same

  @Test
  void everyFileHasAModeOfItsOwn() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path file : SourceTree.inOthersProcesses("tools")) {
      String source = Files.readString(file);
      MADE_WITHOUT_A_MODE
          .matcher(source)
          .results()
          .map(made -> SourceTypes.at(source, made.start()))
          .filter(type -> !OTHERS.contains(type))
          .forEach(type -> found.add(SourceTree.root().relativize(file) + ": " + type));
    }
    assertEquals(List.of(), found, "give it a mode, as PrivateFile and PrivateDirectory do");
  }

  @Test
  void theRuleSeesWhoLeavesItToTheUmask() {
    assertTrue(found("Files.createDirectories(a.resolve(b.name()));"));
    assertTrue(found("Files.createFile(file)"));
    assertTrue(found("Files.writeString(file, text.toString());"));
    assertTrue(found("new FileOutputStream(file)"));
    assertFalse(found("Files.createFile(file, OWNER_ONLY)"));
    assertFalse(found("Files.createDirectories(a.resolve(NAME), PrivateDirectory.OWNER_ONLY)"));
    assertFalse(found("Files.writeString(file, text, StandardOpenOption.WRITE)"));
  }

  private static boolean found(String source) {
    return MADE_WITHOUT_A_MODE.matcher(source).find();
  }
}
