package io.sluice.spark.engine;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.Aggregator;
import org.apache.spark.Partitioner;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.TaskContext;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.shuffle.ShuffleBlockInfo;
import org.apache.spark.shuffle.checksum.RowBasedChecksum;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.ui.SparkUITab;
import org.apache.spark.ui.UIUtils;
import org.apache.spark.util.collection.ExternalSorter;
import scala.Function0;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.math.Ordering;
import scala.xml.Node;
import scala.xml.Unparsed;

/**
 * Calls to Spark with another signature in 3.5, 4.0, 4.1 or 4.2. They are found by reflection; all
 * other code calls Spark as it was compiled.
 *
 * <p>Thread contract: immutable.
 */
public final class SparkShims {
  private static final Method MAP_STATUS = method(MapStatus.class, "apply");
  private static final Constructor<?> SORTER = ExternalSorter.class.getConstructors()[0];
  private static final Method ROW_CHECKSUMS =
      optional(ShuffleDependency.class, "rowBasedChecksums");
  private static final Method STORED_SHUFFLES =
      method(IndexShuffleBlockResolver.class, "getStoredShuffles");

  private SparkShims() {}

  /** Looks those up that every shuffle needs; {@link LinkageError} if this Spark lacks one. */
  static void load() {}

  /** The map outputs in files that a resolver knows. In Scala 2.12 it gives another kind of Seq. */
  @SuppressWarnings("unchecked")
  public static scala.collection.Seq<ShuffleBlockInfo> storedShuffles(
      IndexShuffleBlockResolver files) {
    return (scala.collection.Seq<ShuffleBlockInfo>) invoke(STORED_SHUFFLES, files);
  }

  /**
   * The status of a map task, for the driver.
   *
   * @param checksum over the rows, 0 for none; Spark before 4.1 takes none
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

  /**
   * The page of the tab "Sluice" in Spark's UI. The last arguments of Spark's method are flags, and
   * 4.2 has more of them than the others.
   *
   * @param request a servlet's; its class has another name in Spark 3.5
   * @param content HTML, shown within the frame of Spark's pages
   */
  @SuppressWarnings("unchecked")
  public static Seq<Node> page(Object request, SparkUITab tab, String content) {
    Function0<Seq<Node>> later = () -> ScalaLists.of(List.of(new Unparsed(content)));
    List<Object> arguments =
        new ArrayList<>(List.of(request, "Sluice", later, tab, Option.empty()));
    Method page = method(UIUtils.class, "headerSparkPage");
    while (arguments.size() < page.getParameterCount()) {
      arguments.add(false);
    }
    return (Seq<Node>) invoke(page, arguments.toArray());
  }

  private static Object invoke(Method method, Object... arguments) {
    boolean isStatic = Modifier.isStatic(method.getModifiers());
    try {
      return isStatic ? method.invoke(null, arguments) : method.invoke(arguments[0]);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      if (e.getCause() instanceof Error cause) {
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

  /**
   * Checksums over the rows of each partition. Spark 4.1 and later compare them to see whether a
   * task that ran again produced other rows.
   *
   * <p>Only this class and {@link Real} name Spark's own class for them. Spark before 4.1 has no
   * such class: there only {@link #NONE} is used, which calls nothing of it. Thread contract: one
   * thread.
   */
  public static class RowChecksums {
    /** No checksums: Spark is older than 4.1, or the shuffle asks for none. */
    public static final RowChecksums NONE = new RowChecksums();

    private RowChecksums() {}

    static RowChecksums of(Object checksums) {
      RowBasedChecksum[] each = (RowBasedChecksum[]) checksums;
      return each.length == 0 ? NONE : new Real(each);
    }

    /** The argument of Spark's sorter for no checksums. */
    static Object none() {
      return new RowBasedChecksum[0];
    }

    /** Adds a row to its partition's checksum. */
    public void update(int partition, Object key, Object value) {}

    /** The checksum over all partitions. */
    public long value() {
      return 0;
    }

    private static final class Real extends RowChecksums {
      private final RowBasedChecksum[] checksums;

      Real(RowBasedChecksum[] checksums) {
        this.checksums = checksums;
      }

      @Override
      public void update(int partition, Object key, Object value) {
        checksums[partition].update(key, value);
      }

      @Override
      public long value() {
        return RowBasedChecksum.getAggregatedChecksumValue(checksums);
      }
    }
  }
}
