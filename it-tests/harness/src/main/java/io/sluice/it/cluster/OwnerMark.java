package io.sluice.it.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Says which JVM a directory belongs to, so that others remove what one that was killed left.
 *
 * @param directory the directory
 */
public record OwnerMark(Path directory) {
  private static final String OWNER_FILE = "owner.pid";

  /** Makes this JVM its owner. A reader finds no owner or the whole pid meanwhile. */
  public void own() throws IOException {
    Path unnamed = directory.resolve(OWNER_FILE + ".new");
    Files.writeString(unnamed, Long.toString(ProcessHandle.current().pid()));
    Files.move(unnamed, directory.resolve(OWNER_FILE), StandardCopyOption.ATOMIC_MOVE);
  }

  /** False if its owner was killed. Other JVMs make and remove theirs while this looks. */
  public boolean isOwned() {
    Path file = directory.resolve(OWNER_FILE);
    try {
      String pid = Files.readString(file);
      return pid.matches("\\d+")
          && ProcessTable.commandLine(Long.parseLong(pid))
              .filter(line -> line.contains("java"))
              .isPresent();
    } catch (NoSuchFileException e) {
      return true; // being made or removed, or given up by its owner, to be looked at
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
  }

  /** Ends the ownership: from now on nobody removes the files but {@code mvn clean}. */
  public void giveUp() {
    try {
      Files.deleteIfExists(directory.resolve(OWNER_FILE));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot remove " + directory.resolve(OWNER_FILE), e);
    }
  }
}
