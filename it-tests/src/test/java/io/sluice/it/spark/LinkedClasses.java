package io.sluice.it.spark;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Classes of some jars and of this JVM's JDK, by which references are looked up as a JVM does: a
 * field or a method in the class that a reference names, then in its super types.
 *
 * <p>Not thread-safe. Its creator closes it.
 */
final class LinkedClasses implements AutoCloseable {
  private static final String CONSTRUCTOR = "<init>";

  private final List<JarFile> jars = new ArrayList<>();
  private final Map<String, JarFile> places = new HashMap<>();
  private final Map<String, Optional<LinkedClass>> known = new HashMap<>();

  /** Classes of these jars; the first jar with a class has it. */
  LinkedClasses(List<Path> paths) throws IOException {
    for (Path path : paths) {
      JarFile jar = new JarFile(path.toFile());
      jars.add(jar);
      names(jar).forEach(name -> places.putIfAbsent(name, jar));
    }
  }

  /**
   * A class as references see it.
   *
   * @param superTypes its super class and interfaces
   * @param members names with descriptors, of fields, methods and constructors
   * @param inheritable those of them that a sub class's method of this name overrides
   * @param bodiless those of them that a sub class has to implement
   */
  private record LinkedClass(
      boolean isAbstract,
      List<String> superTypes,
      Set<String> members,
      Set<String> inheritable,
      Set<String> bodiless) {}

  /** The names of the classes of a jar, with slashes. */
  static Stream<String> names(JarFile jar) {
    return jar.stream()
        .map(JarEntry::getName)
        .filter(name -> name.endsWith(".class") && !name.startsWith("META-INF/"))
        .map(name -> name.substring(0, name.length() - ".class".length()));
  }

  /** What a class refers to that is not here, each as one line. */
  Set<String> missing(String className) throws IOException {
    ClassReader reader = reader(className).orElseThrow();
    Set<String> missing = new TreeSet<>();
    char[] buffer = new char[reader.getMaxStringLength()];
    for (int i = 1; i < reader.getItemCount(); i++) {
      int at = reader.getItem(i);
      switch (at == 0 ? 0 : reader.readByte(at - 1)) {
        case 7 -> requireClass(reader.readUTF8(at, buffer), missing);
        case 9, 10, 11 -> {
          int nameAndType = reader.getItem(reader.readUnsignedShort(at + 2));
          requireMember(
              reader.readClass(at, buffer),
              reader.readUTF8(nameAndType, buffer),
              reader.readUTF8(nameAndType + 2, buffer),
              missing);
        }
        // Java loads the types of a lambda when it makes the first one.
        case 16 -> requireTypes(reader.readUTF8(at, buffer), missing);
        case 18 -> {
          int nameAndType = reader.getItem(reader.readUnsignedShort(at + 2));
          requireTypes(reader.readUTF8(nameAndType + 2, buffer), missing);
        }
        default -> {} // names no class
      }
    }
    return missing;
  }

  private void requireTypes(String descriptor, Set<String> missing) throws IOException {
    Type method = Type.getMethodType(descriptor);
    requireClass(method.getReturnType().getInternalName(), missing);
    for (Type argument : method.getArgumentTypes()) {
      requireClass(argument.getInternalName(), missing);
    }
  }

  private void requireClass(String name, Set<String> missing) throws IOException {
    String element = elementOf(name);
    if (element.length() > 1 && find(element).isEmpty()) {
      missing.add(element);
    }
  }

  /** The class of an array's elements, or the class itself; one letter for a primitive type. */
  private static String elementOf(String name) {
    if (!name.startsWith("[")) {
      return name;
    }
    String element = name.replaceFirst("^\\[+", "");
    return element.startsWith("L") ? element.substring(1, element.length() - 1) : element;
  }

  private void requireMember(String owner, String name, String descriptor, Set<String> missing)
      throws IOException {
    if (owner.startsWith("[") || owner.startsWith("java/lang/invoke/")) {
      return; // of an array, or with a signature of the caller's
    }
    Optional<LinkedClass> found = find(owner);
    if (found.isPresent() && !has(found.get(), name + descriptor)) {
      missing.add(owner + "." + name + descriptor);
    }
  }

  private boolean has(LinkedClass type, String member) throws IOException {
    if (type.members().contains(member)) {
      return true;
    }
    if (member.startsWith(CONSTRUCTOR)) {
      return false;
    }
    for (String each : type.superTypes()) {
      Optional<LinkedClass> superType = find(each);
      if (superType.isPresent() && has(superType.get(), member)) {
        return true;
      }
    }
    return false;
  }

  /** Methods by which a class overrides others' of packages that do not begin so. */
  Set<String> overrides(String className, String ownPackages) throws IOException {
    Set<String> found = new TreeSet<>();
    LinkedClass type = find(className).orElseThrow();
    for (String each : type.superTypes()) {
      addOverrides(type, each, ownPackages, found);
    }
    return found;
  }

  private void addOverrides(LinkedClass type, String above, String ownPackages, Set<String> found)
      throws IOException {
    Optional<LinkedClass> superType = find(above);
    if (superType.isEmpty()) {
      return;
    }
    if (!above.startsWith(ownPackages)) {
      superType.get().inheritable().stream()
          .filter(type.inheritable()::contains)
          .forEach(found::add);
    }
    for (String each : superType.get().superTypes()) {
      addOverrides(type, each, ownPackages, found);
    }
  }

  /** Methods that a class would have to implement, and does not. */
  Set<String> unimplemented(String className) throws IOException {
    Set<String> bodiless = new TreeSet<>();
    Set<String> implemented = new TreeSet<>();
    LinkedClass type = find(className).orElseThrow();
    if (!type.isAbstract()) {
      addMethods(type, bodiless, implemented);
    }
    bodiless.removeAll(implemented);
    return bodiless;
  }

  private void addMethods(LinkedClass type, Set<String> bodiless, Set<String> implemented)
      throws IOException {
    bodiless.addAll(type.bodiless());
    type.inheritable().stream()
        .filter(method -> !type.bodiless().contains(method))
        .forEach(implemented::add);
    for (String each : type.superTypes()) {
      Optional<LinkedClass> superType = find(each);
      if (superType.isPresent()) {
        addMethods(superType.get(), bodiless, implemented);
      }
    }
  }

  private Optional<LinkedClass> find(String name) throws IOException {
    Optional<LinkedClass> found = known.get(name);
    if (found == null) {
      found = reader(name).map(LinkedClasses::read);
      known.put(name, found);
    }
    return found;
  }

  private Optional<ClassReader> reader(String name) throws IOException {
    JarFile jar = places.get(name);
    String file = name + ".class";
    try (InputStream in =
        jar == null
            ? ClassLoader.getPlatformClassLoader().getResourceAsStream(file)
            : jar.getInputStream(jar.getEntry(file))) {
      return in == null ? Optional.empty() : Optional.of(new ClassReader(in));
    }
  }

  private static LinkedClass read(ClassReader reader) {
    List<String> superTypes = new ArrayList<>(List.of(reader.getInterfaces()));
    if (reader.getSuperName() != null) {
      superTypes.add(reader.getSuperName());
    }
    Set<String> members = new TreeSet<>();
    Set<String> inheritable = new TreeSet<>();
    Set<String> bodiless = new TreeSet<>();
    reader.accept(
        new ClassVisitor(Opcodes.ASM9) {
          @Override
          public FieldVisitor visitField(
              int access, String name, String descriptor, String signature, Object value) {
            members.add(name + descriptor);
            return null;
          }

          @Override
          public MethodVisitor visitMethod(
              int access, String name, String descriptor, String signature, String[] exceptions) {
            members.add(name + descriptor);
            if ((access & (Opcodes.ACC_STATIC | Opcodes.ACC_PRIVATE)) == 0
                && !name.equals(CONSTRUCTOR)) {
              inheritable.add(name + descriptor);
            }
            if ((access & Opcodes.ACC_ABSTRACT) != 0) {
              bodiless.add(name + descriptor);
            }
            return null;
          }
        },
        ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    boolean isAbstract = (reader.getAccess() & Opcodes.ACC_ABSTRACT) != 0;
    return new LinkedClass(isAbstract, superTypes, members, inheritable, bodiless);
  }

  @Override
  public void close() throws IOException {
    for (JarFile jar : jars) {
      jar.close();
    }
  }
}
