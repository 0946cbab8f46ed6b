package io.sluice.local.loader;

import io.sluice.local.loader.SlotLoader.TaskExit;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Rewrites calls of a class that affect the whole process into calls that affect one slot: calls
 * that end the process ({@link TaskExit}), and calls that write to registries of Hadoop ({@link
 * SlotComparators}, {@link SlotFactories}). The constant pool gets references to our methods. Calls
 * of {@link Runtime}, which need an object, become static calls with the object as parameter. All
 * other bytes stay the same.
 *
 * <p>The formats are those of chapters 4.4 to 4.7 and 6.5 of the Java virtual machine's
 * specification.
 *
 * <p>Thread contract: one thread. Failure: a class that cannot be parsed is not changed; the JVM
 * then reports the error.
 */
final class ProcessCalls {
  private static final int UTF8 = 1;
  private static final int LONG = 5;
  private static final int DOUBLE = 6;
  private static final int METHOD = 10;
  private static final int METHOD_HANDLE = 15;
  private static final int INVOKE_VIRTUAL = 0xb6;
  private static final int INVOKE_STATIC = 0xb8;
  private static final int HANDLE_VIRTUAL = 5;
  private static final int HANDLE_STATIC = 6;
  private static final int TABLE_SWITCH = 0xaa;
  private static final int LOOKUP_SWITCH = 0xab;
  private static final int WIDE = 0xc4;
  private static final int IINC = 0x84;

  private static final String DEFINE =
      "(Ljava/lang/Class;Lorg/apache/hadoop/io/WritableComparator;)V";
  private static final String COMPARATOR = "org/apache/hadoop/io/WritableComparator";
  private static final String INHERITED_DEFINE = ".define:" + DEFINE;
  private static final String SET_FACTORY =
      "(Ljava/lang/Class;Lorg/apache/hadoop/io/WritableFactory;)V";

  /** A static method with the name of the method that it replaces. */
  private record Ours(Class<?> owner, String type) {}

  /** The length of an instruction by its first byte, except for the three above. */
  private static final String LENGTHS =
      "1".repeat(16)
          + "2"
          + "3"
          + "2"
          + "3"
          + "3" // bipush, sipush, ldc, ldc_w, ldc2_w
          + "2".repeat(5) // loads of a local variable
          + "1".repeat(28) // loads without an operand
          + "2".repeat(5) // stores
          + "1".repeat(73) // stores without an operand, the stack, arithmetic
          + "3" // iinc
          + "1".repeat(20) // conversions, comparisons
          + "3".repeat(16) // jumps
          + "2" // ret
          + "00" // the switches
          + "1".repeat(6) // returns
          + "3".repeat(7) // fields, and calls but for the next two
          + "55" // invokeinterface, invokedynamic
          + "323" // new, newarray, anewarray
          + "11" // arraylength, athrow
          + "33" // checkcast, instanceof
          + "11" // monitors
          + "0" // wide
          + "4" // multianewarray
          + "33" // jumps if null
          + "55"; // wide jumps

  private static final Map<String, Ours> REPLACED =
      Map.of(
          "java/lang/System.exit:(I)V",
          new Ours(TaskExit.class, "(I)V"),
          "java/lang/Runtime.exit:(I)V",
          new Ours(TaskExit.class, "(Ljava/lang/Runtime;I)V"),
          "java/lang/Runtime.halt:(I)V",
          new Ours(TaskExit.class, "(Ljava/lang/Runtime;I)V"),
          COMPARATOR + INHERITED_DEFINE,
          new Ours(SlotComparators.class, DEFINE),
          "org/apache/hadoop/io/WritableFactories.setFactory:" + SET_FACTORY,
          new Ours(SlotFactories.class, SET_FACTORY));

  private final ByteBuffer bytes;
  private final int[] constants; // offset of each constant, behind its tag
  private final int poolEnd;
  private final ByteArrayOutputStream added = new ByteArrayOutputStream();
  private final DataOutputStream adding = new DataOutputStream(added);
  private int count;

  private ProcessCalls(byte[] ofClass) {
    bytes = ByteBuffer.wrap(ofClass.clone());
    count = unsigned(8);
    constants = new int[count];
    int at = 10;
    for (int i = 1; i < count; i++) {
      int tag = bytes.get(at);
      constants[i] = at + 1;
      at += 1 + length(tag, at + 1);
      i += tag == LONG || tag == DOUBLE ? 1 : 0;
    }
    poolEnd = at;
  }

  private int length(int tag, int at) {
    return switch (tag) {
      case UTF8 -> 2 + unsigned(at);
      case LONG, DOUBLE -> 8;
      case 3, 4, 9, METHOD, 11, 12, 17, 18 -> 4;
      case 7, 8, 16, 19, 20 -> 2;
      case METHOD_HANDLE -> 3;
      default -> throw new IllegalArgumentException("unknown tag of a constant: " + tag);
    };
  }

  /** Returns the class with these calls replaced. */
  static byte[] replaced(byte[] ofClass) throws IOException {
    try {
      return new ProcessCalls(ofClass).replaced();
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      return ofClass;
    }
  }

  private byte[] replaced() throws IOException {
    Set<Integer> ofObjects = new HashSet<>();
    List<Integer> found = new ArrayList<>();
    for (int i = 1; i < constants.length; i++) {
      if (is(i, METHOD) && REPLACED.containsKey(replacedName(i))) {
        found.add(i);
        if (name(i).startsWith("java/lang/Runtime")) {
          ofObjects.add(i);
        }
      }
    }
    if (found.isEmpty()) {
      return bytes.array();
    }
    if (!ofObjects.isEmpty()) {
      callStatic(ofObjects);
    }
    for (int method : found) {
      Ours replacement = REPLACED.get(replacedName(method));
      int nameAndType = unsigned(constants[method] + 2);
      int type = addText(replacement.type());
      int ours = addNameAndType(unsigned(constants[nameAndType]), type);
      bytes.putShort(constants[method], (short) addClass(replacement.owner()));
      bytes.putShort(constants[method] + 2, (short) ours);
    }
    return joined();
  }

  private byte[] joined() throws IOException {
    if (count > 0xffff) {
      throw new IllegalArgumentException("the constant pool is full");
    }
    bytes.putShort(8, (short) count);
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.write(bytes.array(), 0, poolEnd);
    added.writeTo(all);
    all.write(bytes.array(), poolEnd, bytes.capacity() - poolEnd);
    return all.toByteArray();
  }

  private boolean is(int constant, int tag) {
    return constants[constant] > 0 && bytes.get(constants[constant] - 1) == tag;
  }

  /**
   * The key of a method for its replacement. A comparator class may call the inherited {@code
   * define} by its own class name.
   */
  private String replacedName(int method) {
    String name = name(method);
    String ofThis = className(poolEnd + 2) + INHERITED_DEFINE;
    return name.equals(ofThis)
            && className(poolEnd + 4).startsWith("org/apache/hadoop/")
            && !declaresDefine()
        ? COMPARATOR + INHERITED_DEFINE
        : name;
  }

  private String className(int at) {
    return text(unsigned(constants[unsigned(at)]));
  }

  private boolean declaresDefine() {
    int at = poolEnd + 6;
    at = members(at + 2 + 2 * unsigned(at), Set.of());
    int methods = unsigned(at);
    at += 2;
    for (; methods > 0; methods--) {
      String name = "." + text(unsigned(at + 2)) + ":" + text(unsigned(at + 4));
      if (name.equals(INHERITED_DEFINE)) {
        return true;
      }
      int attributes = unsigned(at + 6);
      at += 8;
      for (; attributes > 0; attributes--) {
        at += 6 + bytes.getInt(at + 2);
      }
    }
    return false;
  }

  /** The class, name and type of a method. */
  private String name(int method) {
    int nameAndType = constants[unsigned(constants[method] + 2)];
    return text(unsigned(constants[unsigned(constants[method])]))
        + "."
        + text(unsigned(nameAndType))
        + ":"
        + text(unsigned(nameAndType + 2));
  }

  private String text(int constant) {
    int at = constants[constant];
    return new String(bytes.array(), at + 2, unsigned(at), StandardCharsets.UTF_8);
  }

  private int addText(String text) throws IOException {
    adding.writeByte(UTF8);
    adding.writeUTF(text);
    return count++;
  }

  private int addClass(Class<?> added) throws IOException {
    int text = addText(added.getName().replace('.', '/'));
    adding.writeByte(7);
    adding.writeShort(text);
    return count++;
  }

  private int addNameAndType(int name, int type) throws IOException {
    adding.writeByte(12);
    adding.writeShort(name);
    adding.writeShort(type);
    return count++;
  }

  /** Makes calls of these methods, and handles to them, static. */
  private void callStatic(Set<Integer> methods) {
    for (int i = 1; i < constants.length; i++) {
      int at = constants[i];
      if (is(i, METHOD_HANDLE)
          && bytes.get(at) == HANDLE_VIRTUAL
          && methods.contains(unsigned(at + 1))) {
        bytes.put(at, (byte) HANDLE_STATIC);
      }
    }
    int at = poolEnd + 6; // behind access, this class and its superclass
    at += 2 + 2 * unsigned(at); // interfaces
    at = members(at, Set.of()); // fields
    members(at, methods);
  }

  /** Reads fields or methods, and returns the offset of their end. */
  private int members(int from, Set<Integer> methods) {
    int at = from + 2;
    for (int members = unsigned(from); members > 0; members--) {
      int attributes = unsigned(at + 6);
      at += 8;
      for (; attributes > 0; attributes--) {
        if (!methods.isEmpty() && text(unsigned(at)).equals("Code")) {
          callStatic(at + 14, bytes.getInt(at + 10), methods);
        }
        at += 6 + bytes.getInt(at + 2);
      }
    }
    return at;
  }

  private void callStatic(int from, int lengthBytes, Set<Integer> methods) {
    for (int at = from; at < from + lengthBytes; at += instruction(at, from)) {
      if (unsignedByte(at) == INVOKE_VIRTUAL && methods.contains(unsigned(at + 1))) {
        bytes.put(at, (byte) INVOKE_STATIC);
      }
    }
  }

  /** The length of an instruction. */
  private int instruction(int at, int codeStart) {
    int operands = (at - codeStart) / 4 * 4 + 4 + codeStart; // operands of a switch are aligned
    return switch (unsignedByte(at)) {
      case TABLE_SWITCH ->
          operands + 12 + 4 * (bytes.getInt(operands + 8) - bytes.getInt(operands + 4) + 1) - at;
      case LOOKUP_SWITCH -> operands + 8 + 8 * bytes.getInt(operands + 4) - at;
      case WIDE -> unsignedByte(at + 1) == IINC ? 6 : 4;
      default -> LENGTHS.charAt(unsignedByte(at)) - '0';
    };
  }

  private int unsigned(int at) {
    return Short.toUnsignedInt(bytes.getShort(at));
  }

  private int unsignedByte(int at) {
    return Byte.toUnsignedInt(bytes.get(at));
  }
}
