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
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Makes, and removes, a directory that nobody but this process's user can reach: pools and sockets
 * often lie where everybody may create one, and whoever owns it could put another in its place and
 * be told the secrets of jobs.
 *
 * <p>Thread contract: stateless. Failure: {@link IOException} if it is somebody else's, a link, or
 * no directory.
 */
public final class PrivateDirectory {
  private static final Set<PosixFilePermission> PERMISSIONS =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> TO_PASS =
      PosixFilePermissions.fromString("rwx--x--x");
  private static final Set<PosixFilePermission> TO_LOOK_INTO =
      PosixFilePermissions.fromString("rwxr-xr-x");

  /** Of a directory that is made. */
  public static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PERMISSIONS);

  private PrivateDirectory() {}

  /**
   * Creates the directory and those above it, or checks that it is ours, and closes it to others.
   *
   * @param use how safe its place must be
   * @param advice what mends it, for the message
   */
  public static void prepare(Path directory, PoolVisibility use, String advice) throws IOException {
    create(directory, use, advice);
    close(directory);
  }

  /**
   * The same, but lets others pass through it, and through what had to be made above it, to what
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
   * Creates a directory in which private ones will lie, and those above it: others may look into
   * them, but not write to them, whatever the umask of this process is.
   */
  static void createAbove(Path directory) throws IOException {
    List<Path> made = missing(directory);
    Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(TO_LOOK_INTO));
    for (Path each : made) {
      if (isOwn(each)) { // else another user has made it meanwhile
        Files.setPosixFilePermissions(each, TO_LOOK_INTO);
      }
    }
  }

  private static boolean isOwn(Path directory) throws IOException {
    return Files.getAttribute(directory, "unix:uid", LinkOption.NOFOLLOW_LINKS)
        .equals(TrustedPath.userId());
  }

  /** Of a directory and those above it, the ones that are not there. */
  private static List<Path> missing(Path directory) {
    List<Path> missing = new ArrayList<>();
    for (Path each = directory.toAbsolutePath();
        each != null && Files.notExists(each);
        each = each.getParent()) {
      missing.add(each);
    }
    return missing;
  }

  /** The same without closing one that was there, for whoever looks into it first. */
  public static void create(Path directory, PoolVisibility use, String advice) throws IOException {
    if (Files.isSymbolicLink(directory)) {
      throw new IOException(
          directory
              + " is a symbolic link to "
              + Files.readSymbolicLink(directory)
              + "; name what it leads to, or "
              + advice);
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

  /** Removes a directory with all that is in it; what is none stays, what goes by itself may. */
  public static void delete(Path directory) throws IOException {
    if (Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      Files.walkFileTree(directory, new Removal());
    }
  }

  /** What is inside goes before what it is in; links are not followed. */
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
}
