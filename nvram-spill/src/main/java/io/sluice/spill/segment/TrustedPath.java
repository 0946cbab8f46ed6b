package io.sluice.spill.segment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;

/**
 * Whether a directory or device is this process's user's, or a user's it has been told of, and
 * nobody else can put another in its place: pools and sockets often lie where everybody may make a
 * directory, and whoever made it could have a task tell him its job's secret, or have it open any
 * file of its user.
 *
 * <p>The directories above it must be this user's or root's, because the owner of one may rename
 * what lies in it, and what others may write to must be sticky, as {@code /tmp} is. Others are also
 * the members of a group that is neither root's nor this process's. A link on the way must be this
 * user's or root's as well where others could have made it.
 *
 * <p>Thread contract: stateless. Failure: {@link IOException} that says whose it is.
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

  /** Refuses what is not this user's alone. */
  public static void require(Path place) throws IOException {
    requireOf(userId(), place);
  }

  /**
   * Refuses what is neither another user's alone nor this one's, for what that user's service says
   * of itself.
   */
  public static void requireOf(int another, Path place) throws IOException {
    requireOwned(another, place);
    if ((mode(place) & WRITABLE_BY_GROUP_OR_OTHERS) != 0) {
      throw new IOException(place + " can be written by other users; expected its owner alone");
    }
  }

  /** The same but for its own permissions, for whoever sets them next. */
  public static void requireOwned(Path place) throws IOException {
    requireOwned(userId(), place);
  }

  private static void requireOwned(int another, Path place) throws IOException {
    requireOwner(another, place);
    Path absolute = place.toAbsolutePath().normalize();
    requireSafeWay(another, absolute);
    requireSafeWay(another, absolute.toRealPath());
  }

  /**
   * Refuses what is another user's or a link, wherever it lies; see {@link PoolVisibility#PRIVATE}.
   */
  static void requireOwner(Path place) throws IOException {
    requireOwner(userId(), place);
  }

  private static void requireOwner(int another, Path place) throws IOException {
    if ((mode(place) & TYPE_BITS) == LINK) {
      throw new IOException(place + " is a symbolic link; name what it leads to");
    }
    int owner = owner(place);
    if (owner != userId() && owner != another) {
      throw new IOException(
          place
              + " belongs to user id "
              + Integer.toUnsignedString(owner)
              + ", expected "
              + Integer.toUnsignedString(another)
              + "; give each user a place of its own");
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
            who
                + " can put another directory in the place of "
                + child
                + ", which belongs to user id "
                + owner(child)
                + " and lies in "
                + parent);
      }
      child = parent;
    }
  }

  private static boolean isForeign(int another, int owner) throws IOException {
    return owner != userId() && owner != another && owner != ROOT;
  }

  private static int owner(Path place) throws IOException {
    return (Integer) attributes(place).get("uid");
  }

  private static int mode(Path place) throws IOException {
    return (Integer) attributes(place).get("mode");
  }

  private static Map<String, Object> attributes(Path place) throws IOException {
    return Files.readAttributes(place, "unix:uid,mode", LinkOption.NOFOLLOW_LINKS);
  }
}
