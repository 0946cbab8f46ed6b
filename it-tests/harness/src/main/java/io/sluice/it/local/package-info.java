/** Jobs that run in their client's own process, on one machine and without daemons. */
package io.sluice.it.local;
