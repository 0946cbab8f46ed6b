/** What may be set. */
package io.sluice.local.conf;
