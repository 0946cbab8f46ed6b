package io.sluice.spill.segment;

import io.sluice.rdma.text.ErrorText;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Makes and removes directories that only this process's user can reach. Pools and sockets often
 * lie where everybody may create a directory, and the owner of a forged one could learn the secrets
 * of jobs.
 *
 * <p>Thread contract: stateless. Failure: {@link IOException} if the path belongs to another user,
 * is a link, or is no directory.
 */
public final class PrivateDirectory {
  private static final Set<PosixFilePermission> PERMISSIONS =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> TO_PASS =
      PosixFilePermissions.fromString("rwx--x--x");
  private static final Set<PosixFilePermission> TO_LOOK_INTO =
      PosixFilePermissions.fromString("rwxr-xr-x");

  /** Permissions of a directory that is made. */
  public static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PERMISSIONS);

  private PrivateDirectory() {}

  /**
   * Creates the directory and those above it, or checks that it is this user's, and closes it to
   * others.
   *
   * @param use how safe it must be
   * @param advice for the message: how to mend it
   */
  public static void prepare(Path directory, PoolVisibility use, String advice) throws IOException {
    create(directory, use, advice);
    close(directory);
  }

  /**
   * The same, but lets others pass through it, and through directories made above it, to files that
   * they can name and may open.
   */
  public static void prepareToPass(Path directory, PoolVisibility use, String advice)
      throws IOException {
    List<Path> made = missing(directory);
    create(directory, use, advice);
    made.add(directory);
    for (Path each : made) {
      Files.setPosixFilePermissions(each, TO_PASS);
    }
  }

  /**
   * Creates a directory for private ones, and those above it. Others may look into them, but not
   * write to them, whatever the umask of this process is.
   */
  static void createAbove(Path directory) throws IOException {
    List<Path> made = missing(directory);
    Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(TO_LOOK_INTO));
    for (Path each : made) {
      if (isOwn(each)) { // else another user has made it at the same time
        Files.setPosixFilePermissions(each, TO_LOOK_INTO);
      }
    }
  }

  private static boolean isOwn(Path directory) throws IOException {
    return Files.getAttribute(directory, "unix:uid", LinkOption.NOFOLLOW_LINKS)
        .equals(TrustedPath.userId());
  }

  /** Those of a directory and its parents that do not exist. */
  private static List<Path> missing(Path directory) {
    List<Path> missing = new ArrayList<>();
    for (Path each = directory.toAbsolutePath();
        each != null && Files.notExists(each);
        each = each.getParent()) {
      missing.add(each);
    }
    return missing;
  }

  /** The same without closing an existing one: its caller looks into it first. */
  public static void create(Path directory, PoolVisibility use, String advice) throws IOException {
    if (Files.isSymbolicLink(directory)) {
      throw new IOException(
          "%s is a symbolic link to %s; name what it leads to, or %s"
              .formatted(directory, Files.readSymbolicLink(directory), advice));
    }
    try {
      Files.createDirectories(directory, OWNER_ONLY);
    } catch (FileAlreadyExistsException e) {
      throw new IOException(directory + " is not a directory; " + advice, e);
    }
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException(directory + " is not a directory; " + advice);
    }
    try {
      use.check(directory);
    } catch (IOException e) {
      throw new IOException(ErrorText.of(e) + "; " + advice, e);
    }
  }

  /** Closes such a directory to others. */
  public static void close(Path directory) throws IOException {
    Files.setPosixFilePermissions(directory, PERMISSIONS);
  }

  /** Removes a directory with its content; another file stays, and files may vanish meanwhile. */
  public static void delete(Path directory) throws IOException {
    if (Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      Files.walkFileTree(directory, new Removal());
    }
  }

  /** Removes the content before its directory; links are not followed. */
  private static final class Removal extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
      return passUnlessGone(e);
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, IOException e) throws IOException {
      passUnlessGone(e);
      Files.deleteIfExists(directory);
      return FileVisitResult.CONTINUE;
    }

    private static FileVisitResult passUnlessGone(IOException e) throws IOException {
      if (e != null && !(e instanceof NoSuchFileException)) {
        throw e;
      }
      return FileVisitResult.CONTINUE;
    }
  }

  /**
   * A short text in a file that only this process's user can open, whatever the umask and the
   * directory permit.
   *
   * <p>Thread contract: stateless; one process at a time writes a file. Failure: {@link
   * IOException}; the file is then unchanged.
   */
  public static final class PrivateFile {
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private PrivateFile() {}

    /** Makes or replaces the file in one step. */
    public static void replace(Path file, String text) throws IOException {
      Path temporary = file.resolveSibling(file.getFileName() + ".new");
      Files.deleteIfExists(temporary); // of a process that was killed
      Files.createFile(temporary, OWNER_ONLY);
      Files.writeString(temporary, text, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
      Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    }
  }
}
