/** What may be set. */
package io.sluice.memory.conf;
