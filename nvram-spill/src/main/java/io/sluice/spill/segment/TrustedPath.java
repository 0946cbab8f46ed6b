package io.sluice.spill.segment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;

/**
 * Checks that a directory or device belongs to this process's user, or to another expected user,
 * and that no other user can replace it. Pools and sockets often lie where everybody may make a
 * directory. The owner of a forged one could learn a job's secret from a task, or have the task
 * open any file of its user.
 *
 * <p>The directories above must belong to this user or root, because the owner of a directory may
 * rename its entries. Directories that others may write to must be sticky, as {@code /tmp} is;
 * others are also the members of a group that is neither root's nor this process's. A link on the
 * way must belong to this user or root if others could have made it.
 *
 * <p>Thread contract: stateless. Failure: {@link IOException} that names the owner.
 */
public final class TrustedPath {
  private static final Path SELF = Path.of("/proc/self");
  private static final int ROOT = 0;
  private static final int ROOT_GROUP = 0;

  // The bits of st_mode.
  private static final int TYPE_BITS = 0170000;
  private static final int LINK = 0120000;
  private static final int STICKY = 01000;
  private static final int WRITABLE_BY_GROUP_OR_OTHERS = 0022;
  private static final int WRITABLE_BY_GROUP = 0020;
  private static final int WRITABLE_BY_OTHERS = 0002;

  private TrustedPath() {}

  /** The user id of this process. */
  public static int userId() throws IOException {
    return (Integer) Files.getAttribute(SELF, "unix:uid");
  }

  /** Refuses a path that other users own or may write to. */
  public static void require(Path path) throws IOException {
    requireOf(userId(), path);
  }

  /**
   * Refuses a path that users other than this one and {@code another} own or may write to. It is
   * for the files of another user's service.
   */
  public static void requireOf(int another, Path path) throws IOException {
    requireOwned(another, path);
    if ((mode(path) & WRITABLE_BY_GROUP_OR_OTHERS) != 0) {
      throw new IOException(path + " can be written by other users; expected its owner alone");
    }
  }

  /** The same without the path's own permissions, which the caller sets next. */
  public static void requireOwned(Path path) throws IOException {
    requireOwned(userId(), path);
  }

  private static void requireOwned(int another, Path path) throws IOException {
    requireOwner(another, path);
    Path absolute = path.toAbsolutePath().normalize();
    requireSafeWay(another, absolute);
    requireSafeWay(another, absolute.toRealPath());
  }

  /**
   * Refuses a link, and a path of another user, in any directory; see {@link
   * PoolVisibility#PRIVATE}.
   */
  static void requireOwner(Path path) throws IOException {
    requireOwner(userId(), path);
  }

  private static void requireOwner(int another, Path path) throws IOException {
    if ((mode(path) & TYPE_BITS) == LINK) {
      throw new IOException(path + " is a symbolic link; name what it leads to");
    }
    int owner = owner(path);
    if (owner != userId() && owner != another) {
      throw new IOException(
          "%s belongs to user id %s, expected %s; give each user a place of its own"
              .formatted(path, Integer.toUnsignedString(owner), Integer.toUnsignedString(another)));
    }
  }

  private static void requireSafeWay(int another, Path absolute) throws IOException {
    int group = (Integer) Files.getAttribute(SELF, "unix:gid");
    Path child = absolute;
    for (Path parent = child.getParent(); parent != null; parent = child.getParent()) {
      Map<String, Object> attributes = Files.readAttributes(parent, "unix:uid,gid,mode");
      int mode = (Integer) attributes.get("mode");
      int parentOwner = (Integer) attributes.get("uid");
      int parentGroup = (Integer) attributes.get("gid");
      boolean foreignGroup = parentGroup != group && parentGroup != ROOT_GROUP;
      String who = null;
      if (isForeign(another, parentOwner)) {
        who = "user id " + parentOwner;
      } else if ((mode & STICKY) == 0 || isForeign(another, owner(child))) {
        if ((mode & WRITABLE_BY_OTHERS) != 0) {
          who = "any user";
        } else if ((mode & WRITABLE_BY_GROUP) != 0 && foreignGroup) {
          who = "any user of group " + parentGroup;
        }
      }
      if (who != null) {
        throw new IOException(
            String.format(
                "%s can put another directory in the place of %s, which belongs to user id"
                    + " %s and lies in %s",
                who, child, owner(child), parent));
      }
      child = parent;
    }
  }

  private static boolean isForeign(int another, int owner) throws IOException {
    return owner != userId() && owner != another && owner != ROOT;
  }

  private static int owner(Path path) throws IOException {
    return (Integer) attributes(path).get("uid");
  }

  private static int mode(Path path) throws IOException {
    return (Integer) attributes(path).get("mode");
  }

  private static Map<String, Object> attributes(Path path) throws IOException {
    return Files.readAttributes(path, "unix:uid,mode", LinkOption.NOFOLLOW_LINKS);
  }
}
