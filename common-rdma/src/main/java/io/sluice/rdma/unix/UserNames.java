package io.sluice.rdma.unix;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import io.sluice.rdma.memory.NativeCalls;
import io.sluice.rdma.memory.OffHeap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Looks up users by name and by number, in the host's own file or in a directory on the network. A
 * lookup may take long.
 *
 * <p>The structure is {@code struct passwd} of Linux with 64-bit pointers: 0 name 8, 8 password 8,
 * 16 user id 4, 20 group id 4, and fields that are not used here.
 *
 * <p>Thread contract: safe from any thread; nothing is cached. Failure: {@link IOException} if the
 * host cannot answer, which says nothing about the user.
 */
public final class UserNames {
  private static final int PASSWD_BYTES = 64;
  private static final int UID_OFFSET = 16;
  private static final int FIRST_TEXT_BYTES = 4 << 10;
  private static final int MAX_TEXT_BYTES = 1 << 20;
  private static final int ENOENT = 2;
  private static final int ERANGE = 34;

  private UserNames() {}

  /** The id of a user; empty if there is no such user. */
  public static OptionalInt uidOf(String name) throws IOException {
    Optional<Entry> found =
        look(
            "user " + name,
            (passwd, text, result) ->
                LibcUsers.getpwnam_r(name, passwd, text, text.capacity(), result));
    return found.isPresent() ? OptionalInt.of(found.get().uid()) : OptionalInt.empty();
  }

  /** The name of a user; the unsigned id if there is no name. */
  public static String nameOf(int uid) throws IOException {
    return look(
            "user id " + Integer.toUnsignedString(uid),
            (passwd, text, result) ->
                LibcUsers.getpwuid_r(uid, passwd, text, text.capacity(), result))
        .map(Entry::name)
        .orElse(Integer.toUnsignedString(uid));
  }

  private record Entry(String name, int uid) {}

  @FunctionalInterface
  private interface Lookup {
    int into(ByteBuffer passwd, ByteBuffer text, long[] result);
  }

  private static Optional<Entry> look(String what, Lookup lookup) throws IOException {
    Optional<String> cause = NativeCalls.unavailabilityCause();
    if (cause.isPresent()) {
      throw new IOException("cannot look up " + what + ": " + cause.get());
    }
    for (int bytes = FIRST_TEXT_BYTES; ; bytes *= 2) {
      ByteBuffer passwd = OffHeap.allocate(PASSWD_BYTES).order(ByteOrder.nativeOrder());
      ByteBuffer text = OffHeap.allocate(bytes);
      try {
        long[] result = new long[1];
        int error = lookup.into(passwd, text, result);
        if (error == ERANGE && bytes < MAX_TEXT_BYTES) {
          continue;
        }
        if (error != 0 && error != ENOENT) {
          throw NativeCalls.failure("look up " + what, error);
        }
        return result[0] == 0 ? Optional.empty() : Optional.of(entry(passwd));
      } finally {
        OffHeap.free(passwd);
        OffHeap.free(text);
      }
    }
  }

  private static Entry entry(ByteBuffer passwd) {
    String name = new Pointer(passwd.getLong(0)).getString(0); // the name lies in the same memory
    return new Entry(name, passwd.getInt(UID_OFFSET));
  }

  /** The native call; bound on first use. */
  private static final class LibcUsers {
    static {
      Native.register(LibcUsers.class, "c");
    }

    static native int getpwnam_r(
        String name, ByteBuffer passwd, ByteBuffer text, long textBytes, long[] result);

    static native int getpwuid_r(
        int uid, ByteBuffer passwd, ByteBuffer text, long textBytes, long[] result);
  }
}
