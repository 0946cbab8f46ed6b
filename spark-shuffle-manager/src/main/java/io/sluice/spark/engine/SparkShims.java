package io.sluice.spark.engine;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.apache.spark.Aggregator;
import org.apache.spark.Partitioner;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.TaskContext;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.util.collection.ExternalSorter;
import scala.Option;
import scala.math.Ordering;

/**
 * Calls to Spark with another signature in 4.0, 4.1 or 4.2. They are found by reflection when the
 * class is loaded; all other code calls Spark as it was compiled.
 *
 * <p>Thread contract: immutable.
 */
public final class SparkShims {
  private static final Method MAP_STATUS = method(MapStatus.class, "apply");
  private static final Constructor<?> SORTER = ExternalSorter.class.getConstructors()[0];
  private static final Method ROW_CHECKSUMS =
      optional(ShuffleDependency.class, "rowBasedChecksums");

  private SparkShims() {}

  /**
   * The status of a map task, for the driver.
   *
   * @param checksum over the rows, 0 for none; Spark 4.0 takes none
   */
  public static MapStatus mapStatus(
      BlockManagerId location, long[] lengthsBytes, long mapId, long checksum) {
    return MAP_STATUS.getParameterCount() == 3
        ? (MapStatus) invoke(MAP_STATUS, location, lengthsBytes, mapId)
        : (MapStatus) invoke(MAP_STATUS, location, lengthsBytes, mapId, checksum);
  }

  /** A sorter of the records that a reduce task reads. */
  @SuppressWarnings("unchecked")
  public static <K, V, C> ExternalSorter<K, V, C> sorter(
      TaskContext context,
      Option<Aggregator<K, V, C>> aggregator,
      Option<Ordering<K>> ordering,
      Serializer serializer) {
    Option<Partitioner> none = Option.empty();
    try {
      return (ExternalSorter<K, V, C>)
          (SORTER.getParameterCount() == 5
              ? SORTER.newInstance(context, aggregator, none, ordering, serializer)
              : SORTER.newInstance(
                  context, aggregator, none, ordering, serializer, RowChecksums.none()));
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("this Spark's ExternalSorter is of another shape", e);
    }
  }

  /** Checksums over the rows of each partition, where this Spark has them. */
  public static RowChecksums rowChecksums(ShuffleDependency<?, ?, ?> dependency) {
    return ROW_CHECKSUMS == null
        ? RowChecksums.NONE
        : RowChecksums.of(invoke(ROW_CHECKSUMS, dependency));
  }

  private static Object invoke(Method method, Object... arguments) {
    boolean isStatic = Modifier.isStatic(method.getModifiers());
    try {
      return isStatic ? method.invoke(null, arguments) : method.invoke(arguments[0]);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new LinkageError(method + " failed", e.getCause());
    } catch (IllegalAccessException e) {
      throw new LinkageError(method + " is not accessible in this Spark", e);
    }
  }

  private static Method method(Class<?> type, String name) {
    Method found = optional(type, name);
    if (found == null) {
      throw new LinkageError("this Spark has no " + type.getName() + "." + name);
    }
    return found;
  }

  private static Method optional(Class<?> type, String name) {
    for (Method method : type.getMethods()) {
      if (method.getName().equals(name)) {
        return method;
      }
    }
    return null;
  }
}
