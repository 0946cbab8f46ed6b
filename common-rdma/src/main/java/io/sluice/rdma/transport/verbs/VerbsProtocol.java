package io.sluice.rdma.transport.verbs;

import io.sluice.rdma.transport.Ticket;

/**
 * The bytes on the control socket of a connection, big-endian. It only sets the connection up; then
 * it stays open, and its end is the loss of the peer.
 *
 * <p>The client sends a hello with its versions and its ticket, the server a welcome with the
 * highest version of both sides. Hello and welcome are the same in all versions. A server with no
 * common version sends its newest:
 *
 * <pre>
 *   0           4             6            8                       24
 *   +-----------+-------------+------------+-----------------------+
 *   | MAGIC     | newest      | oldest     | ticket                |   hello
 *   +-----------+-------------+------------+-----------------------+
 *   | MAGIC     | version     | verdict    |                           welcome
 *   +-----------+-------------+------------+
 * </pre>
 *
 * <p>Then the client sends the address of its queue pair ({@link QueuePairAddress}). The server
 * connects one to it, and answers with an outcome, its address and its settings of the network
 * ({@link VerbsNetwork}); an outcome without a queue pair is followed by zeros. Then the client
 * connects its queue pair with those settings and sends MAGIC; the server counts the connection and
 * answers with MAGIC.
 *
 * <pre>
 *   0                                    32
 *   +------------------------------------+
 *   | address of a queue pair            |                      client
 *   +-----------+------------------------+-----------+---------+
 *   | outcome   | address of a queue pair            | network |   server
 *   +-----------+------------------------------------+---------+
 *   | MAGIC     |                                               client, then server
 *   +-----------+
 *   0           4                                    36        44
 * </pre>
 */
final class VerbsProtocol {
  static final int MAGIC = 0x534C5642; // "SLVB"

  /** The oldest version that is still spoken. */
  static final short OLDEST = 1;

  static final short VERSION = 1;

  static final int HELLO_MAGIC_OFFSET = 0;
  static final int HELLO_VERSION_OFFSET = HELLO_MAGIC_OFFSET + Integer.BYTES;
  static final int HELLO_OLDEST_OFFSET = HELLO_VERSION_OFFSET + Short.BYTES;
  static final int HELLO_VERDICT_OFFSET = HELLO_OLDEST_OFFSET;
  static final int WELCOME_BYTES = HELLO_VERDICT_OFFSET + Short.BYTES;
  static final int HELLO_TICKET_OFFSET = WELCOME_BYTES;
  static final int HELLO_BYTES = HELLO_TICKET_OFFSET + Ticket.LENGTH_BYTES;

  static final short VERDICT_WELCOME = 0;
  static final short VERDICT_FULL = 1;
  static final short VERDICT_OTHER_VERSION = 2;
  static final short VERDICT_NOT_EXPECTED = 3;

  static final int ANSWER_BYTES = Integer.BYTES + QueuePairAddress.BYTES + VerbsNetwork.BYTES;
  static final int CONFIRM_BYTES = Integer.BYTES;

  static final int OUTCOME_CONNECTED = 0;

  /** The server's address of this connection belongs to no port of its RDMA devices. */
  static final int OUTCOME_NO_PORT = 1;

  /** The server's device has no more queue pairs, or refused the client's address. */
  static final int OUTCOME_NO_PAIR = 2;

  /** The server's port speaks something else than the client's; see {@link LinkKind}. */
  static final int OUTCOME_OTHER_LINK = 3;

  private VerbsProtocol() {}
}
