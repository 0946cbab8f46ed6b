package io.sluice.it.spark.jobs;

import java.util.List;
import org.apache.spark.sql.SparkSession;

/**
 * The eight tables of the TPC-H benchmark, made up: their columns, their relations and about the
 * frequencies that the benchmark's queries look for, but not its generator's text. Every column is
 * a hash of its row's number, so that the same seed gives the same rows in every task; numbers with
 * a fraction are decimals, whose sums do not depend on an order.
 *
 * <p>Immutable.
 */
final class TpchTables {
  private static final String[] NATIONS = {
    "ALGERIA:0",
    "ARGENTINA:1",
    "BRAZIL:1",
    "CANADA:1",
    "EGYPT:4",
    "ETHIOPIA:0",
    "FRANCE:3",
    "GERMANY:3",
    "INDIA:2",
    "INDONESIA:2",
    "IRAN:4",
    "IRAQ:4",
    "JAPAN:2",
    "JORDAN:4",
    "KENYA:0",
    "MOROCCO:0",
    "MOZAMBIQUE:0",
    "PERU:1",
    "CHINA:2",
    "ROMANIA:3",
    "SAUDI ARABIA:4",
    "VIETNAM:2",
    "RUSSIA:3",
    "UNITED KINGDOM:3",
    "UNITED STATES:1"
  };

  private static final int SUPPLIERS = 10_000;
  private static final int PARTS = 200_000;
  private static final int SUPPLIERS_OF_A_PART = 4;
  private static final int CUSTOMERS = 150_000;
  private static final int ORDERS = 1_500_000;
  private static final int MOST_LINES = 10; // of an order

  private final double scale;
  private final int partitions;
  private final long seed;

  /**
   * Makes nothing yet.
   *
   * @param scale 1 is about a gigabyte of text, 0.002 about two megabytes
   * @param partitions of each table but the smallest two
   */
  TpchTables(double scale, int partitions, long seed) {
    this.scale = scale;
    this.partitions = partitions;
    this.seed = seed;
  }

  /** Gives a session the tables as views, which are computed whenever they are read. */
  void register(SparkSession session) {
    view(session, "region", 5, "id r_regionkey", name("r_name", regions()), text("r_comment"));
    view(
        session,
        "nation",
        NATIONS.length,
        "id n_nationkey",
        "split(%s[CAST(id AS INT)], ':')[0] n_name".formatted(array(NATIONS)),
        "CAST(split(%s[CAST(id AS INT)], ':')[1] AS BIGINT) n_regionkey".formatted(array(NATIONS)),
        text("n_comment"));
    view(
        session,
        "supplier",
        rows(SUPPLIERS),
        "id + 1 s_suppkey",
        "format_string('Supplier#%09d', id + 1) s_name",
        text("s_address"),
        number("s_nationkey", 0, NATIONS.length),
        "CAST(10 + %s AS STRING) s_phone".formatted(hash("s_phone", 25)),
        money("s_acctbal", -1_000, 10_000),
        "if(%s = 0, 'quick Customer slow Complaints', 'none') s_comment"
            .formatted(hash("s_comment", 8)));
    view(
        session,
        "part",
        rows(PARTS),
        "id + 1 p_partkey",
        "concat_ws(' ', %s, %s) p_name"
            .formatted(
                word("p_name1", "forest", "green", "azure", "linen", "rose"),
                word("p_name2", "green", "ivory", "salmon", "puff", "snow")),
        "concat('Manufacturer#', 1 + %s) p_mfgr".formatted(hash("p_mfgr", 5)),
        "concat('Brand#', 1 + %s, 1 + %s) p_brand"
            .formatted(hash("p_brand1", 5), hash("p_brand2", 5)),
        "concat_ws(' ', %s, %s, %s) p_type"
            .formatted(
                word("p_type1", "STANDARD", "SMALL", "MEDIUM", "ECONOMY", "PROMO"),
                word("p_type2", "ANODIZED", "BURNISHED", "PLATED", "POLISHED"),
                word("p_type3", "TIN", "NICKEL", "BRASS", "STEEL", "COPPER")),
        number("p_size", 1, 50),
        "concat_ws(' ', %s, %s) p_container"
            .formatted(
                word("p_container1", "SM", "LG", "MED", "JUMBO", "WRAP"),
                word("p_container2", "CASE", "BOX", "BAG", "PKG", "PACK")),
        money("p_retailprice", 900, 2_000),
        text("p_comment"));
    view(
        session,
        "partsupp",
        rows(PARTS) * SUPPLIERS_OF_A_PART,
        "id DIV 4 + 1 ps_partkey",
        "pmod(id DIV 4 * 7 + id %% 4 * (%1$d DIV 4), %1$d) + 1 ps_suppkey"
            .formatted(rows(SUPPLIERS)),
        number("ps_availqty", 1, 9_999),
        money("ps_supplycost", 1, 1_000),
        text("ps_comment"));
    view(
        session,
        "customer",
        rows(CUSTOMERS),
        "id + 1 c_custkey",
        "format_string('Customer#%09d', id + 1) c_name",
        text("c_address"),
        number("c_nationkey", 0, NATIONS.length),
        "concat(10 + %s, '-', %s) c_phone".formatted(hash("c_phone", 25), hash("c_phone2", 1_000)),
        money("c_acctbal", -1_000, 10_000),
        word("c_mktsegment", "AUTOMOBILE", "BUILDING", "FURNITURE", "MACHINERY", "HOUSEHOLD")
            + " c_mktsegment",
        text("c_comment"));
    view(
        session,
        "orders",
        rows(ORDERS),
        "id + 1 o_orderkey",
        // A third of the customers orders nothing.
        "CAST(1 + 3 * %s DIV 2 AS BIGINT) o_custkey"
            .formatted(hash("o_custkey", rows(CUSTOMERS) * 2 / 3)),
        word("o_orderstatus", "F", "O", "F", "O", "P") + " o_orderstatus",
        money("o_totalprice", 900, 500_000),
        orderDate("id") + " o_orderdate",
        word("o_orderpriority", "1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW")
            + " o_orderpriority",
        "concat('Clerk#', %s) o_clerk".formatted(hash("o_clerk", 1_000)),
        "0 o_shippriority",
        "if(%s = 0, 'very special big requests', 'none') o_comment"
            .formatted(hash("o_comment", 20)));
    String order = "id DIV " + MOST_LINES;
    view(
        session,
        "lineitem_all",
        rows(ORDERS) * MOST_LINES,
        order + " + 1 l_orderkey",
        number("l_partkey", 1, (int) rows(PARTS)),
        number("supplier", 0, SUPPLIERS_OF_A_PART),
        "id %% %d + 1 l_linenumber".formatted(MOST_LINES),
        "CAST(1 + %s AS DECIMAL(12,2)) l_quantity".formatted(hash("l_quantity", 50)),
        money("l_extendedprice", 900, 100_000),
        "CAST(%s / 100BD AS DECIMAL(12,2)) l_discount".formatted(hash("l_discount", 11)),
        "CAST(%s / 100BD AS DECIMAL(12,2)) l_tax".formatted(hash("l_tax", 9)),
        word("l_returnflag", "R", "A", "N", "N") + " l_returnflag",
        word("l_linestatus", "O", "F") + " l_linestatus",
        day(orderDate(order), "ship", 121) + " l_shipdate",
        day(orderDate(order), "commit", 90) + " l_commitdate",
        day(orderDate(order), "receipt", 151) + " l_receiptdate",
        word("l_shipinstruct", "DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN")
            + " l_shipinstruct",
        word("l_shipmode", "REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB")
            + " l_shipmode",
        text("l_comment"));
    session
        .sql(
            """
            SELECT *, pmod((l_partkey - 1) * 7 + supplier * (%1$d DIV 4), %1$d) + 1 l_suppkey
            FROM lineitem_all WHERE l_linenumber <= 1 + pmod(l_orderkey * 7, %2$d)
            """
                .formatted(rows(SUPPLIERS), MOST_LINES))
        .createOrReplaceTempView("lineitem");
  }

  private static String[] regions() {
    return new String[] {"AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST"};
  }

  private long rows(int ofScaleOne) {
    return Math.max(1, Math.round(ofScaleOne * scale));
  }

  private void view(SparkSession session, String name, long rows, String... columns) {
    session
        .range(0, rows, 1, rows < partitions ? 1 : partitions)
        .selectExpr(columns)
        .createOrReplaceTempView(name);
  }

  /** A number below a bound, of a row and a name. */
  private String hash(String name, long bound) {
    return hash("id", name, bound);
  }

  private String hash(String id, String name, long bound) {
    return "pmod(xxhash64(%s, '%s', %dL), %dL)".formatted(id, name, seed, bound);
  }

  private String number(String name, int least, int count) {
    return "%d + %s %s".formatted(least, hash(name, count), name);
  }

  /** With two digits behind the point. */
  private String money(String name, int least, int end) {
    return "CAST(%d + %s / 100BD AS DECIMAL(12,2)) %s"
        .formatted(least, hash(name, 100L * (end - least)), name);
  }

  private String text(String name) {
    return "substr(sha2(CAST(%s AS STRING), 256), 1, 25) %s"
        .formatted(hash(name, Long.MAX_VALUE), name);
  }

  private String word(String name, String... words) {
    return "%s[CAST(%s AS INT)]".formatted(array(words), hash(name, words.length));
  }

  private static String name(String name, String... words) {
    return "%s[CAST(id AS INT)] %s".formatted(array(words), name);
  }

  private static String array(String... words) {
    return "array('" + String.join("', '", List.of(words)) + "')";
  }

  private String orderDate(String orderId) {
    return "date_add(DATE'1992-01-01', CAST(%s AS INT))"
        .formatted(hash(orderId, "o_orderdate", 2_405));
  }

  private String day(String from, String name, int days) {
    return "date_add(%s, CAST(1 + %s AS INT))".formatted(from, hash(name, days));
  }
}
