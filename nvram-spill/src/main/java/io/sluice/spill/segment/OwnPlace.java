package io.sluice.spill.segment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;

/**
 * Whether a directory or device is this process's user's, and nobody else can put another in its
 * place: pools and sockets often lie where everybody may make a directory, and whoever made it
 * could have a task tell him its job's secret, or have it open any file of its user.
 *
 * <p>Of the directories above it, those that everybody may write to must be sticky, as {@code /tmp}
 * is, and what lies in them on the way must be this user's or root's.
 *
 * <p>Thread contract: stateless. Failure: {@link IOException} that says whose it is.
 */
public final class OwnPlace {
  private static final Path SELF = Path.of("/proc/self");
  private static final int ROOT = 0;

  // The bits of st_mode.
  private static final int TYPE_BITS = 0170000;
  private static final int LINK = 0120000;
  private static final int STICKY = 01000;
  private static final int WRITABLE_BY_GROUP_OR_OTHERS = 0022;
  private static final int WRITABLE_BY_OTHERS = 0002;

  private OwnPlace() {}

  /** The user id of this process. */
  public static int userId() throws IOException {
    return (Integer) Files.getAttribute(SELF, "unix:uid");
  }

  /** Refuses what is not this user's alone. */
  public static void require(Path place) throws IOException {
    requireOwned(place);
    if ((mode(place) & WRITABLE_BY_GROUP_OR_OTHERS) != 0) {
      throw new IOException(place + " can be written by other users; expected its owner alone");
    }
  }

  /** The same but for its own permissions, for whoever sets them next. */
  public static void requireOwned(Path place) throws IOException {
    requireOwner(place);
    Path absolute = place.toAbsolutePath().normalize();
    requireSafeWay(absolute);
    requireSafeWay(absolute.toRealPath());
  }

  /** Refuses what is another user's or a link, wherever it lies; see {@link PlaceUse#PRIVATE}. */
  static void requireOwner(Path place) throws IOException {
    if ((mode(place) & TYPE_BITS) == LINK) {
      throw new IOException(place + " is a symbolic link; name what it leads to");
    }
    int owner = owner(place);
    if (owner != userId()) {
      throw new IOException(
          place
              + " belongs to user id "
              + owner
              + ", expected "
              + userId()
              + "; give each user a place of its own");
    }
  }

  private static void requireSafeWay(Path absolute) throws IOException {
    Path child = absolute;
    for (Path parent = child.getParent(); parent != null; parent = child.getParent()) {
      int mode = (Integer) Files.getAttribute(parent, "unix:mode");
      if ((mode & WRITABLE_BY_OTHERS) != 0) {
        int owner = owner(child);
        if ((mode & STICKY) == 0 || owner != userId() && owner != ROOT) {
          throw new IOException(
              "any user can put another directory in the place of "
                  + child
                  + ", which belongs to user id "
                  + owner
                  + " and lies in "
                  + parent);
        }
      }
      child = parent;
    }
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
