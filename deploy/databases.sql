-- One database per service; POSTGRES_DB makes the first, paiju_accounts.
CREATE DATABASE paiju_anticheat;
CREATE DATABASE paiju_chat;
CREATE DATABASE paiju_economy;
CREATE DATABASE paiju_matchmaking;
CREATE DATABASE paiju_progress;
CREATE DATABASE paiju_scoring;
CREATE DATABASE paiju_table;
