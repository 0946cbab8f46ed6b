package io.sluice.node.wire;

import io.sluice.spill.segment.Owner;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The application whose outputs are files of a user, which outlive the applications that wrote
 * them. Its id contains the user, so that no other user can take it first.
 *
 * <pre>
 * files-1001-0123456789abcdef0123456789abcdef
 *       user id   where the files' names are
 * </pre>
 */
public final class FilesId {
  private static final String PREFIX = "files-";
  private static final Pattern ROOT = Pattern.compile("[0-9a-f]{32}");
  private static final Pattern FORM = Pattern.compile(PREFIX + "(\\d{1,10})-" + ROOT);

  private FilesId() {}

  /**
   * The id for files of a user.
   *
   * @param root 32 hexadecimal digits that no other root has
   */
  public static String of(Owner writer, String root) {
    if (!ROOT.matcher(root).matches()) {
      throw new IllegalArgumentException("root '" + root + "' does not match " + ROOT);
    }
    return PREFIX + writer + "-" + root;
  }

  /** The user of the files; empty if this is the id of anything else. */
  public static Optional<Owner> ownerOf(String applicationId) {
    Matcher parts = FORM.matcher(applicationId);
    if (!parts.matches()) {
      return Optional.empty();
    }
    long uid = Long.parseLong(parts.group(1));
    return uid >> Integer.SIZE == 0 ? Optional.of(new Owner((int) uid)) : Optional.empty();
  }
}
