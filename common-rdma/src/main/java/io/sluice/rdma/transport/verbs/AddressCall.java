package io.sluice.rdma.transport.verbs;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Calls a native function by its address. The function takes up to three integers or pointers and
 * returns an int. On x86-64 and aarch64 such arguments are in registers; the function ignores one
 * that it does not take, and the upper half of one that is an int.
 *
 * <p>JNA's {@code Function} looks at the class of each argument from native code, and so takes ten
 * times as long. This passes the addresses of the arguments to libffi, which is part of JNA. Each
 * thread has a frame for them, which goes with the thread.
 *
 * <pre>
 *   frame   0                24             48             56
 *           +----------------+--------------+--------------+
 *           | 3 arguments    | 3 addresses  | result       |
 *           +----------------+--------------+--------------+
 * </pre>
 *
 * <p>Thread contract: safe from any thread. Failure: that of the function; errno is not kept.
 */
final class AddressCall {
  private static final int ARGUMENTS = 3;
  private static final int ADDRESSES_OFFSET = ARGUMENTS * Long.BYTES;
  private static final int RESULT_OFFSET = 2 * ARGUMENTS * Long.BYTES;
  private static final int FRAME_BYTES = RESULT_OFFSET + Long.BYTES;

  /** {@code struct ffi_type}: size, alignment, type and elements. */
  private static final int TYPE_BYTES = 24;

  private static final short SINT32 = 10;
  private static final short SINT64 = 12;
  private static final int DEFAULT_ABI = 0; // JNA's name for it

  // Of JNA's memory: direct memory may be at its limit, and the JVM then waits for a collection.
  private static final Memory TYPES = new Memory(2 * TYPE_BYTES + ARGUMENTS * Long.BYTES);
  private static final long INTERFACE = prepare();
  private static final ThreadLocal<AddressCall> OF_THREAD =
      ThreadLocal.withInitial(AddressCall::new);

  private final Memory memory = new Memory(FRAME_BYTES);
  private final long address = Pointer.nativeValue(memory);
  private final ByteBuffer frame =
      memory.getByteBuffer(0, FRAME_BYTES).order(ByteOrder.nativeOrder());

  private AddressCall() {
    for (int i = 0; i < ARGUMENTS; i++) {
      frame.putLong(ADDRESSES_OFFSET + i * Long.BYTES, address + i * Long.BYTES);
    }
  }

  /** Tells libffi what the functions take and return; it keeps the addresses of the types. */
  private static long prepare() {
    TYPES.clear();
    long types = Pointer.nativeValue(TYPES);
    putType(0, SINT64, Long.BYTES);
    putType(TYPE_BYTES, SINT32, Integer.BYTES);
    for (int i = 0; i < ARGUMENTS; i++) {
      TYPES.setLong(2 * TYPE_BYTES + i * Long.BYTES, types);
    }
    return Native.ffi_prep_cif(DEFAULT_ABI, ARGUMENTS, types + TYPE_BYTES, types + 2 * TYPE_BYTES);
  }

  private static void putType(int at, short type, int lengthBytes) {
    TYPES.setLong(at, lengthBytes);
    TYPES.setShort(at + 8, (short) lengthBytes); // aligned to its length
    TYPES.setShort(at + 10, type);
  }

  /** Fails here, and not at the first call, where JNA is not as it is expected. */
  static void load() {
    OF_THREAD.get();
  }

  /** Calls the function at {@code function}. */
  static int call(long function, long first, long second, long third) {
    return OF_THREAD.get().callHere(function, first, second, third);
  }

  private int callHere(long function, long first, long second, long third) {
    frame.putLong(0, first).putLong(8, second).putLong(16, third);
    Native.ffi_call(INTERFACE, function, address + RESULT_OFFSET, address + ADDRESSES_OFFSET);
    return frame.getInt(RESULT_OFFSET);
  }
}
