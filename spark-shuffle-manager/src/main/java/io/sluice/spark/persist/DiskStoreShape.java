package io.sluice.spark.persist;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.spark.internal.Logging;

/**
 * Checks that Spark's disk store has exactly the methods that {@link SluiceDiskStore} overrides.
 * The class is not public, and a release may change it. A method that is not overridden would look
 * for files that do not exist.
 */
final class DiskStoreShape {
  static final String FIELD = "diskStore";

  private static final Set<String> METHODS =
      Set.of(
          "contains(BlockId)",
          "getBytes(BlockId)",
          "getBytes(File,long)",
          "getSize(BlockId)",
          "moveFileToBlock(File,long,BlockId)",
          "put(BlockId,Function1)",
          "putBytes(BlockId,ChunkedByteBuffer)",
          "remove(BlockId)");

  private DiskStoreShape() {}

  /** The first difference from what is expected; empty if there is none. */
  static Optional<String> difference(Class<?> blockManager, Class<?> diskStore) {
    try {
      Field field = blockManager.getDeclaredField(FIELD);
      if (field.getType() != diskStore || Modifier.isStatic(field.getModifiers())) {
        return Optional.of(field + " is not what it was");
      }
    } catch (NoSuchFieldException e) {
      return Optional.of(blockManager.getName() + " has no field " + FIELD);
    }
    Set<String> found = methods(diskStore);
    return found.equals(METHODS)
        ? Optional.empty()
        : Optional.of(diskStore.getName() + " has " + found + ", expected " + METHODS);
  }

  /** The public methods, without those of Spark's logging and of the compiler. */
  private static Set<String> methods(Class<?> diskStore) {
    Set<String> logging =
        Arrays.stream(Logging.class.getMethods()).map(Method::getName).collect(Collectors.toSet());
    return Arrays.stream(diskStore.getDeclaredMethods())
        .filter(method -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic())
        .filter(method -> !logging.contains(method.getName()) && !method.getName().contains("$"))
        .map(
            method ->
                Arrays.stream(method.getParameterTypes())
                    .map(Class::getSimpleName)
                    .collect(Collectors.joining(",", method.getName() + "(", ")")))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
